import { refuseMoreIpsThanLeft } from '../../../../../../../nodes/Kuaidaili/actions/order/create.operation.ts';
import { InvalidFieldError } from '../../../../../../../nodes/shared/fields/invalidFieldError.ts';
import { runQuery } from '../../../../../../../nodes/shared/transport/callService.ts';
import { fakeCaller, reply } from '../../../../../support/fakeCaller.mts';

const SHARED = {
	product: 'KPS',
	'kps.serie': '1',
	'kps.model': 'STA',
	'kps.max_bandwidth': '4',
	'kps.city': '3301',
	'kps.ip_count': '12',
};
const EXCLUSIVE = {
	product: 'KPS',
	'kps.serie': '2',
	'kps.max_bandwidth': '4',
	'kps.city': '3301',
	'kps.ip_count': '10',
};
const HANGZHOU = { code: '3301', name: '杭州市' };

/** What becomes of an order when the service has these cities. */
async function outcome(order: Record<string, string>, cities: unknown) {
	const caller = fakeCaller(() => reply({ code: 0, msg: '', data: cities }));
	const refusal = await refuseMoreIpsThanLeft(
		async (query, parameters) => await runQuery(caller, query, parameters),
		order,
	).then(
		() => undefined,
		(error: unknown) => error,
	);
	if (refusal !== undefined && !(refusal instanceof InvalidFieldError)) throw refusal;
	return { refusal };
}

it('adds up the cities of a province', async () => {
	const order = { ...SHARED, 'kps.city': '33' };
	const cities = [
		{ ...HANGZHOU, count: 1000 },
		{ code: '3302', name: '宁波市', count: 234 },
	];
	expect((await outcome({ ...order, 'kps.ip_count': '1234' }, cities)).refusal).toBeUndefined();
	const { refusal } = await outcome({ ...order, 'kps.ip_count': '1235' }, cities);
	expect(refusal?.description).toMatch(/^Allowed: 1,234 at most, .* in the cities of 33\./);
});

it('counts only what is in the chosen city, whatever else the answer holds', async () => {
	const cities = [
		{ code: '4403', name: '深圳市', count: 500 },
		{ ...HANGZHOU, count: 3 },
	];
	expect((await outcome(SHARED, cities)).refusal?.description).toMatch(/^Allowed: 3 at most/);
	const { refusal } = await outcome(SHARED, cities.slice(0, 1));
	expect(refusal?.message).toBe("'City' can't be \"3301\"");
});

it('leaves the number of exclusive IPs to the service, which does not tell how many are left', async () => {
	expect((await outcome(EXCLUSIVE, [HANGZHOU])).refusal).toBeUndefined();
});

it.each([
	['none', [HANGZHOU]],
	['none that is a number', [{ ...HANGZHOU, count: '3' }]],
	[
		'one for a part of the cities',
		[
			{ ...HANGZHOU, count: 1 },
			{ code: '33015', name: '某地' },
		],
	],
])('leaves the number to Kuaidaili when the answer has %s', async (_what, cities) => {
	expect((await outcome(SHARED, cities)).refusal).toBeUndefined();
});

it('takes a code that is a number', async () => {
	const { refusal } = await outcome(SHARED, [{ code: 3301, name: '杭州市', count: 5 }]);
	expect(refusal?.description).toMatch(/^Allowed: 5 at most/);
});
