import { readdirSync } from 'node:fs';
import { ACCOUNT_KEY } from '../../harness/credentials.mts';
import { EXAMPLES, readExample, type ExampleName } from '../../demo/examples.mts';
import { at, readList } from '../../harness/outsideData.mts';
import { statusesOf } from '../../nodes/Kuaidaili/proxies/products/index.ts';

/** HTTP Request ignores what is no URL, and leaves from the user's own address. */
const PROXY =
	/^http:\/\/(?:(?:[\w.!~*'()-]|%[0-9A-F]{2})+:(?:[\w.!~*'()-]|%[0-9A-F]{2})*@)?(?:(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)|(?:[a-z\d-]+\.)*[a-z][a-z\d-]*):(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/i;
const HAS_PROXY = `={{ ${PROXY}.test($json.proxyUrl ?? '') }}`;

const OWN_NODES = 'n8n-nodes-kuaidaili.';
const SEND_MESSAGES: readonly ExampleName[] = [
	'keep-whitelist-current',
	'renew-every-morning',
	'renew-when-expiring',
	'tell-when-balance-is-low',
];

describe('a proxy in the examples', () => {
	it.each([
		'http://1.2.3.4:80',
		'http://user-area-110000:p%40ss%2Fw@1.2.3.4:65535',
		'http://%E5%BC%A0:x@tps.kdlapi.com:15818',
	])('may be %s', (url) => {
		expect(new URL(url).port === '' ? '80' : new URL(url).port).toBe(url.split(':').at(-1));
		expect(PROXY.test(url)).toBe(true);
	});

	it.each([
		'',
		'1.2.3.4:80',
		'https://1.2.3.4:80',
		'socks5://1.2.3.4:80',
		'http://1.2.3.4',
		'http://1.2.3.4:0',
		'http://1.2.3.4:65536',
		'http://1.2.3.4:99999',
		'http://1.2.3.4:80/',
		'http://999.1.1.1:80',
		'http://1.2.3:80',
		'http://%:80',
		'http://[:80',
		'http://a:b:80',
		'http://u:p#@1.2.3.4:80',
		'http://u:p/@1.2.3.4:80',
		'http://u:%@1.2.3.4:80',
		'http://u:p@1.2.3.4:9:80',
		'http:///:80',
		'http://?x:80',
		'http://#:80',
		'http://\\\\:80',
		'http://@:1',
		'http://1.2.3.4:80 ',
	])('is not %j, with which HTTP Request would go without one', (url) => {
		expect(PROXY.test(url)).toBe(false);
	});
});

it('shows every file in examples/ in the demo', () => {
	expect(readdirSync('examples').sort()).toEqual(
		[...EXAMPLES.map((name) => `${name}.json`), 'README.md'].sort(),
	);
});

describe.each(EXAMPLES)('examples/%s.json', (name) => {
	it('uses the account credential of the demo by id and name, and holds no secret', async () => {
		const workflow = await readExample(name);
		const nodes = readList(workflow, 'nodes');
		const own = nodes.filter((node) => String(at(node, 'type')).startsWith(OWN_NODES));
		expect(own.length > 0).toBe(name !== 'what-was-spent');
		for (const node of own) {
			expect(at(node, 'credentials')).toEqual({ kuaidailiApi: ACCOUNT_KEY });
		}
		expect(JSON.stringify(workflow)).not.toMatch(/secret/i);
	});

	it('explains itself in a note', async () => {
		const nodes = readList(await readExample(name), 'nodes');
		const notes = nodes.filter((node) => at(node, 'type') === 'n8n-nodes-base.stickyNote');
		expect(notes).toHaveLength(1);
	});
});

it.each<[name: ExampleName, renewal: string]>([
	['renew-every-morning', 'Renew'],
	['renew-when-expiring', 'Renew'],
])('%s renews only what expires, and warns of the money', async (name, renewal) => {
	const nodes = readList(await readExample(name), 'nodes');
	const find = (wanted: string) => nodes.find((node) => at(node, 'name') === wanted);
	const note = String(at(find('Note'), 'parameters', 'content'));
	expect(note).toContain('This spends money');
	expect(at(find(renewal), 'parameters', 'renewWhen')).toBe('expiring');
	// What happens to more orders than one run may renew
	expect(note).toMatch(/50 orders.*\*Max Orders per Execution\*.*the next (day|morning)/);
	expect(at(find(renewal), 'parameters', 'options', 'maxOrdersPerRun')).toBe(50);
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
		for (const part of ['spends money', 'once for each item', 'Max Orders per Execution']) {
			expect(note).toContain(part);
		}
		expect(at(find(buyer), 'parameters', 'options')).toEqual({ maxOrdersPerRun: 1 });
	},
);

it.each(EXAMPLES)('%s requests no page of HTTP Request without a proxy', async (name) => {
	const { nodes, connections } = await readExample(name);
	const all = readList({ nodes }, 'nodes');
	const usesProxy = (node: unknown) => at(node, 'parameters', 'options', 'proxy') !== undefined;
	const opens = all.filter(usesProxy).map((node) => String(at(node, 'name')));
	const isGuard = (node: string) => {
		const guard = all.find((each) => at(each, 'name') === node);
		const condition = at(guard, 'parameters', 'conditions', 'conditions', 0);
		return at(condition, 'leftValue') === HAS_PROXY;
	};
	for (const source of all.map((node) => String(at(node, 'name')))) {
		const outputs = at(connections, source, 'main');
		for (const [output, targets] of (Array.isArray(outputs) ? outputs : []).entries()) {
			for (const target of Array.isArray(targets) ? targets : []) {
				if (!opens.includes(String(at(target, 'node')))) continue;
				expect([output, isGuard(source)]).toEqual([0, true]);
			}
		}
	}
});

it.each(EXAMPLES)('%s lets no model buy anything without the yes of a person', async (name) => {
	const { nodes, connections } = await readExample(name);
	const all = readList({ nodes }, 'nodes');
	const typeOf = (node: unknown) =>
		String(
			at(
				all.find((each) => at(each, 'name') === node),
				'type',
			),
		);
	const buyers = all.filter(
		(node) =>
			at(node, 'type') === `${OWN_NODES}kuaidailiTool` &&
			/^(?:create|renew|enable)$/.test(String(at(node, 'parameters', 'operation'))),
	);
	expect(buyers.length > 0).toBe(name === 'ask-an-ai-agent');
	for (const buyer of buyers) {
		const users = at(connections, String(at(buyer, 'name')), 'ai_tool', 0);
		const types = (Array.isArray(users) ? users : []).map((user) => typeOf(at(user, 'node')));
		expect(types).toEqual([expect.stringMatching(/HitlTool$/)]);
	}
});

describe('check-my-setup', () => {
	/** What the row of an order says to do about the error of its page. */
	async function adviceFor(error: string): Promise<unknown> {
		const nodes = readList(await readExample('check-my-setup'), 'nodes');
		const order = nodes.find((node) => at(node, 'name') === 'Order');
		const fields = readList(order, 'parameters', 'assignments', 'assignments');
		const value = String(
			at(
				fields.find((field) => at(field, 'name') === 'whatToDo'),
				'value',
			),
		);
		const expression = value.replace(/^=\{\{|\}\}$/g, '');
		return new Function('$json', `return ${expression}`)({ pageDetails: { error } });
	}

	it.each([
		['KPS', 443, /runs outside China/],
		['OPS', 443, /^Wait some hours/],
		['SFPS', 456, /runs in mainland China/],
		['DPS', 407, /login of the proxies is refused/],
		['OPS', 407, /Allow n8n's address in the member center/],
		['TPS', 440, /at its limit/],
		['OPS', 440, /Too many machines/],
		['TPS', 441, /at its limit/],
		['OPS', 429, /at its limit/],
		['DPS', 442, /login of the proxies is refused/],
		['DPS', 447, /real-name verification/],
		['DPS', 454, /is over/],
		['DPS', 503, /firewall/],
	] as const)(
		'says what to do about a proxy of %s that answers %i',
		async (product, status, says) => {
			const { meaning = '', advice = '' } = statusesOf(product)[status] ?? {};
			const refused = `1.2.3.4:443: the proxy refused: ${meaning} (status ${status})`;
			expect(await adviceFor(`The page could not be reached. ${refused}. ${advice}`)).toMatch(says);
		},
	);

	it.each([
		['Through 1.2.3.4:443: no answer within 15 s.', /firewall/],
		["This machine's IP address is not on the whitelist", /Allow n8n's address/],
		["This machine's IP address is not on the account's API whitelist", /Allow n8n's address/],
		['This order has expired', /Renew the order/],
		["Today's quota of this order is used up", /no IPs left/],
		['', /^$/],
	])('says what to do about %j', async (error, says) => {
		expect(await adviceFor(error)).toMatch(says);
	});
});

describe('the examples that send messages', () => {
	const nodesOf = async (name: ExampleName) => readList(await readExample(name), 'nodes');
	const find = (nodes: readonly unknown[], wanted: string) =>
		nodes.find((node) => at(node, 'name') === wanted);
	const assigned = (node: unknown, field: string) =>
		readList(node, 'parameters', 'assignments', 'assignments').find(
			(each) => at(each, 'name') === field,
		);

	it.each(SEND_MESSAGES)('%s begins its text with the keyword of its bot', async (name) => {
		const text = at(assigned(find(await nodesOf(name), 'Message'), 'text'), 'value');
		expect(text).toMatch(/^=Kuaidaili\b/);
	});

	const conditionOf = (nodes: readonly unknown[], name: string) =>
		at(find(nodes, name), 'parameters', 'conditions', 'conditions', 0, 'leftValue');

	it('buy nothing every morning until a plain switch is turned off', async () => {
		const nodes = await nodesOf('renew-every-morning');
		expect(at(assigned(find(nodes, 'Settings'), 'dryRun'), 'value')).toBe(true);
		expect(at(find(nodes, 'Renew'), 'parameters', 'options')).toEqual({
			dryRun: "={{ $('Settings').first().json.dryRun }}",
			maxOrdersPerRun: 50,
		});
	});

	it.each(SEND_MESSAGES)('%s looks for the address before it does anything', async (name) => {
		const { nodes, connections } = await readExample(name);
		const [, trigger] = readList({ nodes }, 'nodes');
		const next = (from: unknown, output: number) =>
			at(connections, String(from), 'main', output, 0, 'node');
		expect(next(at(trigger, 'name'), 0)).toBe('Settings');
		expect(next('Settings', 0)).toBe('Address Entered?');
		expect(next('Address Entered?', 1)).toBe('Enter Your Address');
	});

	it.each(SEND_MESSAGES)('%s sends and judges as the others do', async (name) => {
		const [nodes, others] = await Promise.all([nodesOf(name), nodesOf('renew-every-morning')]);
		for (const same of ['Body', 'Send Message', 'Message Refused']) {
			const shown = (node: unknown) =>
				JSON.stringify(at(node, 'parameters')).replace(/"id":"[^"]*"/g, '');
			expect(shown(find(nodes, same))).toBe(shown(find(others, same)));
		}
		for (const [same, part] of [
			['Address Entered?', 'messageFormat'],
			['Accepted?', 'errcode'],
		]) {
			expect(conditionOf(nodes, same)).toBe(conditionOf(others, same));
			expect(conditionOf(nodes, same)).toContain(part);
		}
	});

	it('run at a minute when the chat services are not busy', async () => {
		const rule = at(find(await nodesOf('renew-every-morning'), 'Every Morning'), 'parameters');
		expect(at(rule, 'rule', 'interval', 0)).toMatchObject({
			triggerAtHour: 8,
			triggerAtMinute: 7,
		});
	});
});

/** A node on the canvas with its name and subtitle below. */
const NODE_HEIGHT = 150;

it.each(EXAMPLES)('the note of %s is no taller than its workflow', async (name) => {
	const nodes = readList(await readExample(name), 'nodes');
	const isNote = (node: unknown) => at(node, 'type') === 'n8n-nodes-base.stickyNote';
	const rows = nodes.filter((node) => !isNote(node)).map((node) => Number(at(node, 'position', 1)));
	const height = Math.max(...rows) - Math.min(...rows) + NODE_HEIGHT;
	expect(Number(at(nodes.find(isNote), 'parameters', 'height'))).toBeLessThanOrEqual(height);
});
