import type { IDataObject } from 'n8n-workflow';

import { sleep } from '../support/sleep.mts';
import { TOKENS } from '../support/testBed.mts';
import {
	AREAS,
	asked,
	bed,
	CITIES,
	Editor,
	LIST_OF_CITIES,
	LIST_OF_RESOURCES,
	SHARED_ORDER,
} from './openedList.mts';

/** The three lists, each with a place where it is offered. */
const PICKERS: ReadonlyArray<[name: string, field: string, parameters: IDataObject, path: string]> =
	[
		['City of City: Get Many', 'city', LIST_OF_CITIES, CITIES],
		['City of Order: Create', 'kpsCity', SHARED_ORDER, CITIES],
		['Area of Private Proxy Resource: Get Many', 'area', LIST_OF_RESOURCES, AREAS],
	];

describe('what is typed', () => {
	it.each<[typed: string, found: string]>([
		['Hangzhou', '3301'],
		['hang', '3301'],
		['HANG ZHOU', '3301'],
		['Hángzhōu', '3301'],
		['杭州', '3301'],
		['杭州市', '3301'],
		['3301', '3301'],
		['(3301)', '3301'],
		['zhejiang', '3301'],
		['Zhe jiang', '3301'],
		['浙江', '3301'],
		['xian', '6101'],
		["Xi'an", '6101'],
		['Xi’an', '6101'],
		['shaanxi', '6101'],
		['陕西', '6101'],
		['urumqi', '6501'],
		['Ürümqi', '6501'],
		['新疆', '6501'],
		[' beijing ', '11'],
		['北京', '11'],
	])('%s finds %s', async (typed, found) => {
		expect(await Editor.ofAccount().values('kpsCity', SHARED_ORDER, typed)).toContain(found);
	});

	it.each(['Hangzhou', '3301', 'Atlantis', '12 left', '.*', '杭洲'])(
		'%s finds nothing but what has that name or code',
		async (typed) => {
			const values = await Editor.ofAccount().values('kpsCity', SHARED_ORDER, typed);
			expect(values).toEqual(['Hangzhou', '3301'].includes(typed) ? ['3301'] : []);
		},
	);
});

describe.each(PICKERS)('%s', (_name, field, parameters, path) => {
	it('asks once in a minute, whatever is typed meanwhile, and then again', async () => {
		const editor = Editor.for(path);
		const started = performance.now.bind(performance);
		let later = 0;
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => started() + later);
		try {
			const first = await editor.values(field, parameters);
			for (const typed of ['h', 'ha', 'han', '']) await editor.values(field, parameters, typed);
			later += 59_000;
			expect(await editor.values(field, parameters)).toEqual(first);
			expect(asked(path)).toHaveLength(1);
			later += 1_000;
			// The service has another clock, and keeps its pace
			await sleep(1100);
			expect(await editor.values(field, parameters)).toEqual(first);
			expect(asked(path)).toHaveLength(2);
		} finally {
			clock.mockRestore();
		}
	});

	it('tells the answer of one credential to no other', async () => {
		const [mine, yours] = [Editor.for(path), Editor.for(path)];
		await mine.values(field, parameters);
		await yours.values(field, parameters);
		const keys = bed()
			.sandbox.log.entries(path)
			.map(({ parameters: { secret_id } }) => secret_id);
		expect(new Set(keys).size).toBe(2);
	});

	it('does not show what a right key was told to a wrong key of the same name', async () => {
		const editor = Editor.for(path);
		await editor.values(field, parameters);
		const { credentials } = bed().engine;
		credentials.edit(editor.credentialId, { secretKey: 'wrong' });
		const { message } = await editor.failure(field, parameters);
		expect(message).toMatch(
			/^Secret Key doesn't belong to Secret ID\. .*'Secret ID' and 'Secret Key'/,
		);
		expect(message).toContain('(code -104)');
	});

	it('shares an answer that is on its way', async () => {
		bed().sandbox.faults.add({ kind: 'delay', ms: 200, path });
		const editor = Editor.for(path);
		const lists = await Promise.all(
			[undefined, 'h', 'ha'].map(async (typed) => await editor.values(field, parameters, typed)),
		);
		expect(lists[0].length).toBeGreaterThan(lists[2].length);
		expect(asked(path)).toHaveLength(1);
	});

	it('is filled with a token as well, which is fetched once', async () => {
		const editor = Editor.for(path, { signType: 'token' });
		expect((await editor.values(field, parameters, 'Hangzhou')).length).toBe(1);
		expect(bed().sandbox.log.count(TOKENS)).toBe(1);
		expect(bed().sandbox.log.last(path)?.parameters).not.toHaveProperty('nonce');
	});

	it.each([
		[
			'a refusal',
			{ kind: 'code', code: -108, msg: '原因在此' },
			/API whitelist.*原因在此 \(code -108\)/,
		],
		['an unknown code', { kind: 'code', code: -77, msg: '原因' }, /code -77: 原因/],
		['a gateway', { kind: 'status', status: 502 }, /HTTP status 502/],
		['a cut connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		['half an answer', { kind: 'halfBody' }, /^The service's response/],
		['no list', { kind: 'raw', body: '{"code":0,"msg":"","data":{}}' }, /contains no list/],
		['an empty list', { kind: 'raw', body: '{"code":0,"msg":"","data":[]}' }, /right now\.$/],
	] as const)('shows why it is empty: %s', async (_what, fault, reason) => {
		bed().sandbox.faults.add({ ...fault, path });
		const error = await Editor.for(path).failure(field, parameters);
		expect(error.message).toMatch(reason);
		expect(error.message).toMatch(/[.…]$/);
		expect(error.message).not.toContain('[item');
		expect(['NodeApiError', 'NodeOperationError']).toContain(error.name);
	});

	it('is filled after a failure, which is not kept', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 501, path, times: 1 });
		const editor = Editor.for(path);
		await editor.failure(field, parameters);
		expect((await editor.values(field, parameters)).length).toBeGreaterThan(10);
		expect(asked(path)).toHaveLength(2);
	});

	it('says that nobody answers', async () => {
		const nobody = 'http://127.0.0.1:9';
		const editor = Editor.for(path, { baseUrl: nobody, dpsUrl: nobody });
		const { message } = await editor.failure(field, parameters);
		expect(message).toMatch(/^127\.0\.0\.1:9 refused the connection\. Check the network/);
	});

	it('says which part of the credential cannot be used', async () => {
		const editor = Editor.for(path, { secretId: '' });
		const { message } = await editor.failure(field, parameters);
		expect(message).toMatch(/^The credential cannot be used\. 'Secret ID'/);
		expect(asked(path)).toEqual([]);
	});
});

it('lists that are opened at the same time keep the pace', async () => {
	const editor = Editor.ofAccount();
	await Promise.all([
		editor.values('city', LIST_OF_CITIES),
		editor.values('kpsCity', SHARED_ORDER),
		editor.values('kpsCity', { ...SHARED_ORDER, kpsMaxBandwidth: 2 }),
	]);
	const times = bed()
		.sandbox.log.entries(CITIES)
		.map(({ arrival }) => arrival);
	expect(times).toHaveLength(3);
	// The sandbox refuses what comes too early, and the test bed looks for that
	expect(times[2] - times[0]).toBeGreaterThan(1800);
});

it('a list and an execution with the same key keep the pace together', async () => {
	const editor = Editor.ofAccount();
	const { credentialId } = editor;
	const [values, { items }] = await Promise.all([
		editor.values('city', LIST_OF_CITIES),
		bed().engine.run({ credentialId, parameters: { ...LIST_OF_CITIES, limit: 1 } }),
	]);
	expect(values.length).toBeGreaterThan(10);
	expect(items).toHaveLength(1);
	expect(asked(CITIES)).toHaveLength(2);
});

it('a picked value is what the node then sends', async () => {
	const editor = Editor.ofAccount();
	const [value] = await editor.values('city', LIST_OF_CITIES, 'Hangzhou');
	const city = { __rl: true, mode: 'list', value };
	const { items } = await bed().engine.run({
		credentialId: editor.credentialId,
		parameters: { ...LIST_OF_CITIES, city },
	});
	expect(items.map(({ json }) => json)).toEqual([
		{ code: '3301', name: '杭州市', city: 'Hangzhou', count: 12 },
	]);
});
