import {
	dedicatedCities,
	ipsLeftIn,
	questionFor,
} from '../../../../../nodes/Kuaidaili/availability/dedicatedCities.ts';
import {
	ApiError,
	InvalidResponseError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { fakeCaller, refusal, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

const HANGZHOU = { code: '3301', name: '杭州市', count: 12 };

function answering(data: unknown, msg = '') {
	return fakeCaller(() => reply({ code: 0, msg, data }));
}

describe('the question about cities', () => {
	it.each([
		['shared', { serie: '1', 'kps.max_bandwidth': '4' }, { model: 'STA' }],
		['shared, in one city', { serie: '1', 'kps.max_bandwidth': '1', city: '33' }, { model: 'STA' }],
		['exclusive', { serie: '2' }, {}],
		['exclusive, in one city', { serie: '2', city: '3301' }, {}],
		['of an unknown series', { serie: '3' }, {}],
	])('for %s IPs asks with the model only where it is effective', async (_which, own, model) => {
		const caller = answering([HANGZHOU]);
		await runQuery(caller, dedicatedCities, own);
		expect(caller.requests).toEqual([
			expect.objectContaining({
				method: 'GET',
				url: 'https://dev.kdlapi.com/api/querykpscity',
				qs: { ...own, ...model },
			}),
		]);
	});

	it('gives the records as they are', async () => {
		const data = [HANGZHOU, { code: '11', name: '北京市', count: 0, more: { a: 1 } }];
		expect(await runQuery(answering(data), dedicatedCities, { serie: '2' })).toEqual(data);
	});

	it('gives none where there are none', async () => {
		const caller = answering([], 'no available kps found');
		expect(await runQuery(caller, dedicatedCities, { serie: '2' })).toEqual([]);
	});

	it.each([
		'',
		null,
		{},
		[{ code: '3301' }],
		[{ name: '杭州市' }],
		[{ code: '', name: '杭州市' }],
		[{ code: null, name: '杭州市' }],
		[{ code: '3301', name: 5 }],
		[HANGZHOU, 'more'],
	])('takes %j for no answer', async (data) => {
		await expect(runQuery(answering(data), dedicatedCities, { serie: '2' })).rejects.toThrow(
			InvalidResponseError,
		);
	});

	it('fails with the refusal of the service', async () => {
		const failing = fakeCaller(() => refusal(-3));
		await expect(runQuery(failing, dedicatedCities, { serie: '2' })).rejects.toThrow(ApiError);
	});
});

describe('the IPs left in a city', () => {
	it.each([
		[{ ...HANGZHOU }, 12],
		[{ ...HANGZHOU, count: 0 }, 0],
		[{ code: '3301', name: '杭州市' }, undefined],
		[{ ...HANGZHOU, count: '12' }, undefined],
		[{ ...HANGZHOU, count: null }, undefined],
	])('of %j are %p', (city, left) => {
		expect(ipsLeftIn(city)).toBe(left);
	});

	it('are never taken from a prototype', () => {
		const city = Object.assign(Object.create({ count: 5 }), { code: '3301', name: '杭州市' });
		expect(ipsLeftIn(city)).toBeUndefined();
	});
});

describe('the question that belongs to an order', () => {
	it.each([
		[
			'shared static',
			{ 'kps.serie': '1', 'kps.model': 'STA', 'kps.max_bandwidth': '4', 'kps.city': '3301' },
			{ serie: '1', 'kps.max_bandwidth': '4' },
		],
		['exclusive', { 'kps.serie': '2', 'kps.max_bandwidth': '4' }, { serie: '2' }],
		[
			'shared dynamic',
			{ 'kps.serie': '1', 'kps.model': 'DYN', 'kps.max_bandwidth': '1' },
			undefined,
		],
	])('%s has the names that querykpscity uses', (_which, order, question) => {
		expect(questionFor({ product: 'KPS', 'kps.ip_count': '3', ...order })).toEqual(question);
	});
});
