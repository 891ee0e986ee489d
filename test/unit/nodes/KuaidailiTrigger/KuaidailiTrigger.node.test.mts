import codex from '../../../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.json';
import { KuaidailiTrigger } from '../../../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';

const { description, methods } = new KuaidailiTrigger();

it('has the name that workflows are stored with', () => {
	expect(description).toMatchObject({
		name: 'kuaidailiTrigger',
		displayName: 'Kuaidaili Trigger',
		version: 1,
	});
});

it('is a trigger that n8n polls', () => {
	expect(description).toMatchObject({ group: ['trigger'], polling: true, inputs: [] });
	expect(description.outputs).toHaveLength(1);
});

it('uses the credential of the package, and can test it', () => {
	expect(description.credentials).toEqual([
		{ name: 'kuaidailiApi', required: true, testedBy: 'kuaidailiApiTest' },
	]);
	expect(typeof methods.credentialTest.kuaidailiApiTest).toBe('function');
});

it('has a method for each list of its fields', () => {
	const names = description.properties
		.flatMap(({ modes = [] }) => modes)
		.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []);
	expect(new Set(names)).toEqual(new Set(['searchOrders']));
	expect(typeof methods.listSearch.searchOrders).toBe('function');
});

it('is found by its Chinese names too', () => {
	expect(codex.node).toBe('n8n-nodes-kuaidaili.kuaidailiTrigger');
	expect(codex.alias).toEqual(
		expect.arrayContaining([
			'快代理',
			'代理IP',
			'scrape',
			'爬虫',
			'隧道代理',
			'白名单',
			'open page',
		]),
	);
	// Without it n8n ignores the whole file
	expect(codex.resources).toBeDefined();
});
