import { readdirSync } from 'node:fs';
import { ACCOUNT_KEY, ORDER_KEY } from '../../demo/credentials.mts';
import { EXAMPLES, readExample, withPage, type ExampleName } from '../../demo/examples.mts';
import { at, readList } from '../../demo/outsideData.mts';

const OWN_NODES = 'n8n-nodes-kuaidaili.';
const PAGE = 'http://127.0.0.1:1/ip';
const CREDENTIALS: Record<ExampleName, { id: string; name: string }> = {
	'extract-and-use-proxies': ORDER_KEY,
	'order-a-tunnel-proxy': ACCOUNT_KEY,
	'order-where-ips-are-left': ACCOUNT_KEY,
};

it('shows every file in examples/ in the demo', () => {
	expect(readdirSync('examples').sort()).toEqual(EXAMPLES.map((name) => `${name}.json`).sort());
});

describe.each(EXAMPLES)('examples/%s.json', (name) => {
	it('refers to the credential of the demo by id and name, and holds no secret', async () => {
		const workflow = await readExample(name);
		const nodes = readList(workflow, 'nodes');
		const own = nodes.filter((node) => String(at(node, 'type')).startsWith(OWN_NODES));
		expect(own.length).toBeGreaterThan(0);
		for (const node of own) {
			expect(at(node, 'credentials')).toEqual({ kuaidailiApi: CREDENTIALS[name] });
		}
		expect(JSON.stringify(workflow)).not.toMatch(/secret/i);
	});

	it('explains itself in a note', async () => {
		const nodes = readList(await readExample(name), 'nodes');
		const notes = nodes.filter((node) => at(node, 'type') === 'n8n-nodes-base.stickyNote');
		expect(notes).toHaveLength(1);
	});

	it('is left as it was when a copy is pointed to another page', async () => {
		const workflow = await readExample(name);
		const before = JSON.stringify(workflow);
		withPage(workflow, PAGE);
		expect(JSON.stringify(workflow)).toBe(before);
	});
});

it('points the example that asks a page to another one, and no other example', async () => {
	const pointed = async (name: ExampleName) =>
		JSON.stringify(withPage(await readExample(name), PAGE));
	expect(await pointed('extract-and-use-proxies')).toContain(PAGE);
	for (const name of EXAMPLES.filter((each) => each !== 'extract-and-use-proxies')) {
		expect(await pointed(name)).not.toContain(PAGE);
	}
});

it.each<[name: ExampleName, buyer: string]>([
	['order-a-tunnel-proxy', 'Kuaidaili'],
	['order-where-ips-are-left', 'Order'],
])(
	'%s warns of the money that the order costs, and one run places one order only',
	async (name, buyer) => {
		const nodes = readList(await readExample(name), 'nodes');
		const find = (wanted: string) => nodes.find((node) => at(node, 'name') === wanted);
		const note = String(at(find('Note'), 'parameters', 'content'));
		for (const part of ['spends money', 'once for each item', 'Max Orders per Run']) {
			expect(note).toContain(part);
		}
		expect(at(find(buyer), 'parameters', 'options')).toEqual({ maxOrdersPerRun: 1 });
	},
);
