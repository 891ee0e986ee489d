import type { OverseasProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, productOrder, startExtraction, type KeyName } from '../extracting.mts';

const PATH = '/api/getfpsflow';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

async function ask(parameters: Parameters = {}, key: KeyName = 'fps') {
	const at = { sandbox, host: 'fpsUrl', path: PATH } as const;
	return (await askAs(sandbox.keys[key], at, parameters)).json;
}

function order(key: KeyName = 'fps'): OverseasProxyOrder {
	const found = productOrder(sandbox, key);
	if (found.product !== 'FPS') throw new Error(`"${key}" is another product`);
	return found;
}

function use(key: KeyName = 'fps'): void {
	order(key).flowUsedInMb = { '2026-05-02': 12.5, '2026-05-01': 100, '2026-05-03': 0.25 };
}

it('of an order by traffic: what was bought, used and is left, in MB', async () => {
	const answer = (flow_use: number, flow_left: number) => ({
		code: 0,
		msg: '',
		data: { flow_total: 1024, flow_use, flow_left },
	});
	expect(await ask()).toEqual(answer(0, 1024));
	use();
	expect(await ask()).toEqual(answer(112.75, 911.25));
});

it('of a monthly order: only what was used', async () => {
	use('fpsMonthly');
	expect((await ask({}, 'fpsMonthly')).data).toEqual({ flow_use: 112.75 });
});

it.each<[parameters: Parameters, used: number, days: Record<string, number>]>([
	[{ start_time: '2026-05-02' }, 12.75, { '2026-05-02': 12.5, '2026-05-03': 0.25 }],
	[{ end_time: '2026-05-01' }, 100, { '2026-05-01': 100 }],
	[{ start_time: '2026-05-02', end_time: '2026-05-02' }, 12.5, { '2026-05-02': 12.5 }],
	[{ start_time: '2026-05-04', end_time: '2026-05-09' }, 0, {}],
	[
		{ start_time: '2026-05-01', end_time: '2026-05-03' },
		112.75,
		{ '2026-05-01': 100, '2026-05-02': 12.5, '2026-05-03': 0.25 },
	],
])('with %j what was used then, day by day, and what is left of all', async (dates, used, days) => {
	use();
	const { data } = await ask(dates);
	expect(data).toEqual({
		flow_total: 1024,
		flow_use: used,
		flow_left: 911.25,
		flow_daily_usage: days,
	});
	expect(Object.keys(Object(data).flow_daily_usage)).toEqual(Object.keys(days));
});

it('grows with a renewal', async () => {
	use();
	sandbox.store.account(sandbox.keys.account.secretId).balanceInFen = 1_000_000_00;
	const at = { sandbox, host: 'baseUrl', path: '/api/reneworder' } as const;
	await askAs(order().keys, at, { 'fps.flow': '6' });
	expect((await ask()).data).toMatchObject({ flow_total: 7168, flow_left: 7055.25 });
});
