import nodeCodex from '../../../nodes/Kuaidaili/Kuaidaili.node.json';
import { Kuaidaili } from '../../../nodes/Kuaidaili/Kuaidaili.node.ts';
import triggerCodex from '../../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.json';
import { KuaidailiTrigger } from '../../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';

const [node, trigger] = [new Kuaidaili(), new KuaidailiTrigger()];

describe.each([
	{ ...node, codex: nodeCodex, stored: { name: 'kuaidaili', displayName: 'Kuaidaili' } },
	{
		...trigger,
		codex: triggerCodex,
		stored: { name: 'kuaidailiTrigger', displayName: 'Kuaidaili Trigger' },
	},
])('the node $stored.displayName', ({ description, codex, stored }) => {
	it('has the name that workflows are stored with', () => {
		expect(description).toMatchObject({ ...stored, version: 1 });
		expect(codex.node).toBe(`n8n-nodes-kuaidaili.${stored.name}`);
	});

	it('uses the credential of the package, which has its own test', () => {
		expect(description.credentials).toEqual([{ name: 'kuaidailiApi', required: true }]);
	});

	it('is found by its Chinese names too', () => {
		const words = ['快代理', '代理IP', 'scrape', '爬虫', '隧道代理', '白名单', 'open page'];
		expect(codex.alias).toEqual(expect.arrayContaining(words));
		// Without it n8n ignores the whole file
		expect(codex.resources).toBeDefined();
	});
});

it('the node can be a tool of an AI agent, and n8n polls the trigger', () => {
	expect(node.description.usableAsTool).toBe(true);
	const polled = { group: ['trigger'], polling: true, inputs: [] };
	expect(trigger.description).toMatchObject(polled);
	expect(trigger.description.outputs).toHaveLength(1);
});

it('the trigger has a method for each list of its fields', () => {
	const names = trigger.description.properties
		.flatMap(({ modes = [] }) => modes)
		.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
	expect(new Set(names)).toEqual(new Set(['searchOrders']));
	expect(typeof trigger.methods.listSearch.searchOrders).toBe('function');
});
