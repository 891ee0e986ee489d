import { readdirSync } from 'node:fs';
import { ORDER_KEY } from '../../demo/credentials.mts';
import { EXAMPLES, readExample, withPage } from '../../demo/examples.mts';
import { at, readList } from '../../demo/outsideData.mts';

const OWN_NODES = 'n8n-nodes-kuaidaili.';

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
			expect(at(node, 'credentials')).toEqual({ kuaidailiApi: ORDER_KEY });
		}
		expect(JSON.stringify(workflow)).not.toMatch(/secret/i);
	});

	it('explains itself in a note', async () => {
		const nodes = readList(await readExample(name), 'nodes');
		const notes = nodes.filter((node) => at(node, 'type') === 'n8n-nodes-base.stickyNote');
		expect(notes).toHaveLength(1);
	});

	it('asks the page that it is pointed to, and is left as it was', async () => {
		const workflow = await readExample(name);
		const before = JSON.stringify(workflow);
		const pointed = withPage(workflow, 'http://127.0.0.1:1/ip');
		expect(JSON.stringify(pointed)).toContain('http://127.0.0.1:1/ip');
		expect(JSON.stringify(workflow)).toBe(before);
	});
});
