import { ENDPOINTS } from '../../../sandbox/endpoints/table.mts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/sandbox.mts';
import { call, post, signed, type Parameters } from '../client.mts';
import type { KeyName } from '../extracting.mts';
import { ORDERS } from '../ordering.mts';

/* What holds for every endpoint: who may ask, how often, and where. */

type Host = keyof Sandbox['hosts'];

interface Row {
	path: string;
	host: Host;
	/** With which it works, and as fast as the pace says. */
	keys: readonly KeyName[];
	callsPerSecond: number;
	/** That work. */
	parameters: Parameters | ((sandbox: Sandbox, key: KeyName) => Parameters);
	/** Orders that are over get codes of the endpoint's own. */
	handsOut: boolean;
	/** What else limits its pace. */
	further: readonly object[];
}

type More = Partial<Pick<Row, 'parameters' | 'handsOut' | 'further'>>;

const row = (
	host: Host,
	name: string,
	[keys, callsPerSecond]: readonly [keys: readonly KeyName[], callsPerSecond: number],
	more: More = {},
): Row => ({
	...{ path: `/api/${name}`, host, keys, callsPerSecond },
	...{ parameters: {}, handsOut: false, further: [] },
	...more,
});

const handsOut = (host: Host, name: string, keys: readonly KeyName[], more: More = {}): Row =>
	row(host, name, [keys, 10], { parameters: { num: '1' }, handsOut: true, ...more });

const EITHER = ['account', 'opsVip', 'tps'] as const;
const WHITELISTED = ['dps', 'kps', 'tps', 'fps', 'sfps'] as const;
const WITH_LOGIN = ['dps', 'dpsPerIp', 'kps', 'tps', 'tpsPro', 'fps', 'sfpsPackage'] as const;
const CITY = { serie: '1', model: 'STA', 'kps.max_bandwidth': '1' };
const IPS = { parameters: { iplist: '1.1.1.1' } };
const PROXY = { parameters: { proxy: '127.0.0.1:9' } };
const PER_MINUTE = { name: 'minute', intervalMs: 60_000, calls: 120, code: -120 };

/** All but getproxy, whose pace and hosts depend on the order, and the two that have no signature. */
const ROWS: readonly Row[] = [
	row('baseUrl', 'addwhiteip', [WHITELISTED, 1], IPS),
	row('tpsUrl', 'changetpsip', [['tpsMinute', 'tpsChannels'], 1]),
	row('dpsUrl', 'checkdpsvalid', [['dps'], 10], PROXY),
	row('baseUrl', 'checkopsvalid', [['opsVip'], 10], PROXY),
	row('baseUrl', 'closeorder', [['tpsPayAsUsed'], 1]),
	row('baseUrl', 'createorder', [['account'], 1], { parameters: ORDERS.ops }),
	row('baseUrl', 'delwhiteip', [WHITELISTED, 1], IPS),
	row('dpsUrl', 'dpsresources', [['dps', 'dpsPerIp'], 1]),
	row('baseUrl', 'getaccountbalance', [['account'], 1]),
	row('baseUrl', 'getaccountorders', [['account'], 1]),
	row('baseUrl', 'getareacode', [EITHER, 10], { parameters: { area: '北京' } }),
	handsOut('dpsUrl', 'getdps', ['dps', 'dpsEven', 'dpsPerIp'], { further: [PER_MINUTE] }),
	row('dpsUrl', 'getdpsvalidtime', [['dps', 'dpsEven'], 10], PROXY),
	handsOut('fpsUrl', 'getfps', ['fps', 'fpsMonthly'], { parameters: {} }),
	row('baseUrl', 'getfpsareacode', [EITHER, 1], { parameters: { region: 'US' } }),
	row('baseUrl', 'getfpscountrycode', [EITHER, 1]),
	row('fpsUrl', 'getfpsflow', [['fps'], 1]),
	handsOut('fpsUrl', 'getfpsip', ['fps'], { parameters: { num: '1', period: '10' } }),
	row('dpsUrl', 'getipbalance', [['dps', 'dpsPerIp'], 10]),
	row('baseUrl', 'getipwhitelist', [WHITELISTED, 10]),
	handsOut('kpsUrl', 'getkps', ['kps', 'kpsDynamic', 'kpsExclusive']),
	handsOut('kpsUrl', 'getkpsbyid', ['kps', 'kpsDynamic'], { parameters: machineOf }),
	row('baseUrl', 'getmyip', [EITHER, 10]),
	row('baseUrl', 'getorderexpiretime', [['opsVip', 'dps'], 10]),
	row('baseUrl', 'getorderinfo', [['tps', 'kps'], 5]),
	row('baseUrl', 'getordersecret', [['account'], 1], { parameters: numberOf }),
	row('baseUrl', 'getproxyauthorization', [WITH_LOGIN, 10]),
	handsOut('baseUrl', 'getsfps', ['sfpsPackage', 'sfps'], { parameters: {} }),
	handsOut('tpsUrl', 'gettps', ['tps', 'tpsMinute']),
	row('tpsUrl', 'gettpscitycode', [EITHER, 1], { parameters: { prov: '33' } }),
	handsOut('tpsUrl', 'gettpspro', ['tpsPro']),
	row('tpsUrl', 'gettpsprovcode', [EITHER, 1]),
	row('baseUrl', 'getua', [['account', 'opsVip', 'dps'], 5], { parameters: { num: '2' } }),
	row('baseUrl', 'querykpscity', [['account', 'kps', 'kpsExclusive'], 1], { parameters: CITY }),
	row('baseUrl', 'querysfpsarea', [['account', 'sfps'], 1], { parameters: { serie: '1' } }),
	row('baseUrl', 'reneworder', [['opsVip'], 1], {
		parameters: { time_type: 'DAY', time_number: '1' },
	}),
	row('baseUrl', 'setautorenew', [['dps', 'opsVip'], 1], { parameters: { autorenew: '0' } }),
	row('baseUrl', 'setipwhitelist', [WHITELISTED, 1], IPS),
	row('tpsUrl', 'tpscurrentip', [['tpsMinute', 'tpsHour'], 1]),
	row('tpsUrl', 'tpsprocurrentip', [['tpsPro'], 1]),
];

const ELSEWHERE = ['/api/check_secret_token', '/api/get_secret_token', '/api/getproxy'];

function machineOf(sandbox: Sandbox, key: KeyName): Parameters {
	const order = sandbox.store.order(sandbox.keys[key].secretId);
	return { f_id: 'machineIds' in order ? (order.machineIds[0] ?? '') : 'none' };
}

function numberOf({ store, keys }: Sandbox): Parameters {
	return { orderid: store.order(keys.tps.secretId).orderId };
}

it('every endpoint is tried', () => {
	const tried = [...ROWS.map(({ path }) => path), ...ELSEWHERE].toSorted();
	expect(tried).toEqual(ENDPOINTS.map(({ path }) => path).toSorted());
});

/** One sandbox for a rule: no two rows have the same endpoint. */
function rule(
	what: string,
	options: SandboxOptions,
	prove: (sandbox: Sandbox, row: Row, key: KeyName) => Promise<void>,
	rows = ROWS,
): void {
	describe(what, () => {
		let sandbox: Sandbox;

		beforeAll(async () => {
			sandbox = await startSandbox({ forwardProxies: false, catalogueSize: 10, ...options });
		});

		afterAll(() => sandbox.close());

		it.each(rows.flatMap((each) => each.keys.map((key) => [each.path, key, each] as const)))(
			'%s with the key %s',
			async (_path, key, each) => {
				const order = sandbox.store.orders.find(({ keys }) => keys === sandbox.keys[key]);
				const status = order?.status;
				await prove(sandbox, each, key);
				// As before, for other endpoints with this key
				if (order && status) order.status = status;
			},
		);
	});
}

const parametersOf = ({ parameters }: Row, sandbox: Sandbox, key: KeyName) =>
	typeof parameters === 'function' ? parameters(sandbox, key) : parameters;

/** The code that the sandbox has noted: answers come in several formats. */
async function codeFor(
	sandbox: Sandbox,
	each: Row,
	key: KeyName,
	keys = sandbox.keys[key],
): Promise<number | undefined> {
	const { host, path } = each;
	await call(sandbox.hosts[host], path, keys, parametersOf(each, sandbox, key));
	return sandbox.log.last()?.code;
}

// Long enough an interval that the next call surely is too early, whatever the machine does
rule('so often, and -120 beyond', { rateLimits: { scale: 200 } }, async (sandbox, each, key) => {
	const { callsPerSecond, further } = each;
	const measured = jest.spyOn(sandbox.limits, 'refusal');
	expect(await codeFor(sandbox, each, key)).toBe(0);
	expect(measured.mock.lastCall?.[1]).toEqual([
		{ intervalMs: 1000 / callsPerSecond, code: -120 },
		...further,
	]);
	expect(await codeFor(sandbox, each, key)).toBe(-120);
	expect(sandbox.log.last()).toMatchObject({ refusedByRateLimit: true, workDone: false });
});

rule('by POST, and with a token', { rateLimits: false }, async (sandbox, each, key) => {
	const { secretId, secretKey } = sandbox.keys[key];
	const url = sandbox.hosts[each.host] + each.path;
	const own = parametersOf(each, sandbox, key);
	await post(url, signed(sandbox.keys[key], 'POST', each.path, own));
	expect(sandbox.log.last()).toMatchObject({ code: 0, workDone: true });
	// What was closed is open again
	const order = sandbox.store.orders.find(({ keys }) => keys === sandbox.keys[key]);
	if (order) order.status = 'VALID';

	const byToken = { ...own, secret_id: secretId };
	await post(url, { ...byToken, signature: sandbox.tokens.obtain(secretId).value });
	expect(sandbox.log.last()).toMatchObject({ code: 0, workDone: true });
	await post(url, { ...byToken, signature: secretKey });
	expect(sandbox.log.last()).toMatchObject({ code: -122, workDone: false });
});

rule('-104 with a wrong signature', { rateLimits: false }, async (sandbox, each, key) => {
	const wrong = { ...sandbox.keys[key], secretKey: 'wrong' };
	const parameters = { ...parametersOf(each, sandbox, key), odd: '1' };
	const reply = await call(sandbox.hosts[each.host], each.path, wrong, parameters);
	expect(reply.json).toMatchObject({ code: -104, data: '' });
});

rule(
	'-102 for an order that is not in use',
	{ rateLimits: false },
	async (sandbox, each, key) => {
		if (key === 'account') return;
		const order = sandbox.store.order(sandbox.keys[key].secretId);
		for (const status of ['EXPIRED', 'FORBIDDEN'] as const) {
			order.status = status;
			expect(await codeFor(sandbox, each, key)).toBe(-102);
		}
		expect(await codeFor(sandbox, each, key, sandbox.keys.opsExpired)).toBe(-102);
	},
	// closeorder has codes of its own, and closes also what nobody pays for any more
	ROWS.filter(({ handsOut: isOwn, path }) => !isOwn && path !== '/api/closeorder'),
);

rule('404 on every other host', { rateLimits: false }, async (sandbox, each, key) => {
	for (const [name, url] of Object.entries(sandbox.hosts)) {
		if (name === each.host) continue;
		const parameters = parametersOf(each, sandbox, key);
		expect((await call(url, each.path, sandbox.keys[key], parameters)).status).toBe(404);
	}
	expect(sandbox.ledger.count()).toBe(0);
});
