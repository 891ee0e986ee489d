import codex from '../../../../nodes/Kuaidaili/Kuaidaili.node.json';
import { Kuaidaili } from '../../../../nodes/Kuaidaili/Kuaidaili.node.ts';

const { description, methods } = new Kuaidaili();

it('has the name that workflows are stored with', () => {
	expect(description).toMatchObject({ name: 'kuaidaili', displayName: 'Kuaidaili', version: 1 });
});

it('uses its credential, and can test it', () => {
	expect(description.credentials).toEqual([
		{ name: 'kuaidailiApi', required: true, testedBy: 'kuaidailiApiTest' },
	]);
	expect(typeof methods.credentialTest.kuaidailiApiTest).toBe('function');
});

it('can be a tool of an AI agent', () => {
	expect(description.usableAsTool).toBe(true);
});

it('is found by its Chinese names too', () => {
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
