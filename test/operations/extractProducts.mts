import assert from 'node:assert/strict';

import { byCode, LOGIN_ANSWER, orderAnswer, proxyAnswer } from './common.mts';
import type { Answer, Codes, EndpointRow, Json, OperationCase, Outcome, Path } from './row.mts';
import type { OrderKind, World } from './world.mts';

const LOGIN = '/api/getproxyauthorization';
const INFO = '/api/getorderinfo';

const NO_ENTRANCE: Codes = { [3]: /no address for these settings.*'Country'.*GB/ };

/** Shared by all products; -5 names the product. */
function codes(product: RegExp, more: Codes = {}): Codes {
	return {
		[2]: /order has expired.*renew/i,
		[3]: 'nothing found',
		[4]: /real-name verification.*member center/i,
		[-1]: /request as invalid.*check the fields/i,
		[-2]: /does not know this order yet.*has waited for one/,
		[-3]: /did not accept one of the values.*check the fields/i,
		[-4]: /could not extract.*try again/i,
		[-5]: product,
		[-11]: /not been paid.*pay/i,
		[-12]: /order is invalid.*choose an order/i,
		[-13]: /order has expired.*renew/i,
		[-14]: /banned.*support/i,
		[-15]: /order has expired.*renew/i,
		[-16]: /refunded.*choose an order/i,
		[-51]: /too many different IP addresses.*has tried again for a minute/i,
		[-102]: /does not accept this key pair for an order.*set its 'Key Type' to 'Order'/i,
		...more,
	};
}

const REPEATED: Codes = { [-114]: /duplicate of an earlier one.*may have been carried out/i };

function notOf(product: string): RegExp {
	return new RegExp(`is not ${product} order.*'Product'.*top-up`, 'is');
}

export const EXTRACT_ENDPOINTS: readonly EndpointRow[] = [
	{
		path: '/api/getdps',
		title: 'Proxy: Extract, private proxies',
		outcomeUnknown: [-114],
		codes: codes(notOf('a private proxy \\(DPS\\)'), {
			...REPEATED,
			[1]: /today's quota.*used up.*probably resets at midnight China time/i,
			[2]: /quota of this order is used up.*'Order: Renew'/i,
			[-6]: /whitelist.*order's proxy whitelist.*API whitelist/i,
		}),
	},
	{
		path: '/api/getkps',
		title: 'Proxy: Extract, dedicated proxies',
		codes: codes(notOf('a dedicated proxy \\(KPS\\)')),
	},
	{
		path: '/api/getkpsbyid',
		title: 'Proxy: Extract, a dedicated proxy by its ID',
		codes: codes(notOf('a dedicated proxy \\(KPS\\)'), {
			[3]: /no proxy with this ID.*lrps-49994/,
			[-1]: /did not accept the proxy ID.*lrps-49994/i,
		}),
	},
	{
		path: '/api/gettps',
		title: 'Proxy: Extract, tunnels',
		codes: codes(notOf('a tunnel \\(TPS\\)'), NO_ENTRANCE),
	},
	{
		path: '/api/gettpspro',
		title: 'Proxy: Extract, tunnels of Tunnel Pro',
		codes: codes(notOf('a Tunnel Pro \\(TPS_PRO\\)'), NO_ENTRANCE),
	},
	{
		path: '/api/getfps',
		title: 'Proxy: Extract, overseas tunnels',
		codes: codes(notOf('an overseas dynamic \\(FPS\\)'), NO_ENTRANCE),
	},
	{
		path: '/api/getfpsip',
		title: 'Proxy: Extract, overseas dynamic proxies',
		outcomeUnknown: [-114],
		codes: codes(notOf('an overseas dynamic \\(FPS\\)'), REPEATED),
	},
	{
		path: '/api/getsfps',
		title: 'Proxy: Extract, overseas static proxies',
		codes: codes(notOf('an overseas static \\(SFPS\\)')),
	},
];

const PLAIN = ['proxyUrl', 'address', 'host', 'port'];
const WITH_LOGIN = [...PLAIN, 'username', 'password'];

/** So many proxies with the login of the order, and these fields beside. */
const withLogin =
	(count: number, more: readonly string[] = []) =>
	({ records }: Pick<Outcome, 'records'>, { theOrder }: World) => {
		assert.ok('login' in theOrder);
		const { username, password } = theOrder.login;
		assert.equal(records.length, count);
		for (const record of records) {
			assert.deepEqual(Object.keys(record), [...WITH_LOGIN, ...more]);
			assert.ok(String(record.username).startsWith(username));
			assert.ok(String(record.password).startsWith(password));
			const url = new URL(String(record.proxyUrl));
			assert.deepEqual([url.username, url.password].map(decodeURIComponent), [
				record.username,
				record.password,
			]);
			assert.ok(String(record.proxyUrl).endsWith(`@${String(record.address)}`));
		}
	};

interface Way extends Omit<OperationCase, 'order' | 'path' | 'fields' | 'answers'> {
	readonly fields: Json;
	/** What the service says to the extraction. */
	readonly answer: Answer;
}

function ofProduct(
	product: string,
	order: OrderKind,
	path: Path,
	{ answer, calls = [LOGIN, path], ...way }: Way,
): OperationCase {
	const answers: Array<[Path, Answer]> = [
		[LOGIN, LOGIN_ANSWER],
		[INFO, orderAnswer(product)],
		[path, answer],
	];
	return {
		...way,
		order,
		path,
		calls,
		fields: { product, ...way.fields },
		answers: Object.fromEntries(answers.filter(([one]) => calls.includes(one))),
	};
}

export const EXTRACT_CASES: readonly OperationCase[] = [
	ofProduct('DPS', 'dpsPerIp', '/api/getdps', {
		what: 'private proxies, with every filter and extra field',
		calls: [LOGIN, INFO, '/api/getdps'],
		answer: {
			...proxyAnswer(
				'113.120.61.166:22989,浙江省宁波市,330200,1200,电信',
				'122.4.44.132:21808,浙江省温州市,330300,300,电信',
				'10.20.30.40:23456,,,900,',
			),
			format: 'text',
			isUsedUp: true,
		},
		fields: {
			num: 3,
			options: {
				filters: { area: '浙江', areaEx: '杭州', carrier: 2, dedup: true },
				extraFields: { fLoc: true, fCitycode: true, fCarrier: true },
				login: 'inUrl',
				format: 'text',
				sep: 2,
				maxExtractionsPerRun: 3,
				includeSecrets: true,
			},
		},
		sent: {
			num: '3',
			area: '浙江',
			area_ex: '杭州',
			carrier: '2',
			dedup: '1',
			f_loc: '1',
			f_citycode: '1',
			f_et: '1',
			f_carrier: '1',
			format: 'text',
			sep: '2',
		},
		prove: withLogin(3, ['region', 'cityCode', 'secondsLeft', 'carrier', 'expiresAt']),
	}),
	ofProduct('DPS', 'dps', '/api/getdps', {
		what: 'private proxies, reused while they live',
		answer: {
			...proxyAnswer('113.120.61.166:22989,1200', '122.4.44.132:21808,856'),
			isUsedUp: true,
		},
		fields: {
			num: 2,
			options: {
				reuse: true,
				minimumSecondsLeft: 10,
			},
		},
		sent: { num: '2', f_et: '1', format: 'json' },
		prove: withLogin(2, ['secondsLeft', 'expiresAt']),
	}),
	{
		what: 'private proxies for each input item, for clients on the whitelist',
		answers: { '/api/getdps': { data: { count: 1, proxy_list: ['122.4.44.132:21808,856'] } } },
		order: 'dps',
		path: '/api/getdps',
		fields: {
			product: 'DPS',
			output: 'forEachInput',
			proxyField: 'via',
			itemsPerProxy: 2,
			options: { login: 'none' },
		},
		sent: { num: '1', f_et: '1', format: 'json' },
		prove({ records: [record, ...more] }) {
			assert.deepEqual(more, []);
			// After what the input item had
			assert.deepEqual(Object.keys(record).slice(-2), ['via', 'proxyDetails']);
			assert.match(String(record.via), /^http:\/\/[\d.]+:\d+$/);
		},
	},
	ofProduct('KPS', 'kpsSeveral', '/api/getkps', {
		what: 'dedicated proxies, in their fixed order',
		answer: proxyAnswer(
			'113.120.61.166:22989,浙江省杭州市,330100,1200,电信',
			'122.4.44.132:21808,浙江省杭州市,330100,1200,电信',
		),
		fields: {
			kpsBy: 'list',
			num: 2,
			options: {
				pt: 1,
				sort: 1,
				extraFields: { fLoc: true, fCitycode: true, fEt: true, fCarrier: true },
			},
		},
		sent: {
			num: '2',
			pt: '1',
			sort: '1',
			f_loc: '1',
			f_citycode: '1',
			f_et: '1',
			f_carrier: '1',
			format: 'json',
		},
		prove: withLogin(2, ['region', 'cityCode', 'secondsLeft', 'carrier', 'expiresAt']),
	}),
	{
		what: 'a dedicated proxy by its ID',
		answers: {
			[LOGIN]: LOGIN_ANSWER,
			'/api/getkpsbyid': {
				data: { ip: '218.95.37.135', port: '10272', public_ip: '175.160.149.129' },
			},
		},
		order: 'kps',
		path: '/api/getkpsbyid',
		calls: [LOGIN, '/api/getkpsbyid'],
		arrange({ theOrder }) {
			assert.ok('machineIds' in theOrder);
			theOrder.machineIds[0] = 'lrps-49994';
		},
		fields: { product: 'KPS', kpsBy: 'id', fId: 'lrps-49994' },
		sent: { f_id: 'lrps-49994' },
		prove: withLogin(1),
	},
	ofProduct('TPS', 'tps', '/api/gettps', {
		what: 'a tunnel that keeps its IP for a while',
		answer: proxyAnswer('tps121.kdlapi.com:15818'),
		fields: { options: { pt: 1, session: 'abc' } },
		sent: { num: '1', pt: '1', format: 'json' },
		prove: withLogin(1),
	}),
	ofProduct('TPS_PRO', 'tpsPro', '/api/gettpspro', {
		what: 'a tunnel of Tunnel Pro with a session for each item',
		answer: proxyAnswer('tpspro12.kdlapi.com:15818'),
		fields: {
			options: {
				pt: 1,
				sessionMinutes: 1,
				sessionPerItem: true,
				region: 'NC',
				suffix: 'type-std',
			},
		},
		sent: { num: '1', pt: '1', format: 'json' },
		prove(outcome, world) {
			withLogin(1)(outcome, world);
			assert.match(
				String(outcome.records[0].username),
				/-period-1-sid-[a-z0-9]{6}-area-NC-type-std$/,
			);
		},
	}),
	ofProduct('FPS', 'fps', '/api/getfps', {
		what: 'an overseas tunnel',
		answer: proxyAnswer('us.x000.kdlfps.com:18866'),
		fields: {
			connection: 'tunnel',
			options: {
				region: byCode('US'),
				area: byCode('New York'),
				continent: 'nasa',
				sessionMinutes: 5,
				pt: 1,
			},
		},
		sent: { region: 'US', pt: '1', format: 'json' },
		prove(outcome, world) {
			withLogin(1)(outcome, world);
			assert.match(String(outcome.records[0].username), /-region-US-area-New York-period-5$/);
		},
	}),
	ofProduct('FPS', 'fps', '/api/getfpsip', {
		what: 'overseas dynamic proxies',
		answer: {
			...proxyAnswer('us.x000.kdlfps.com:20001', '[2001:db8::7]:20002'),
			isUsedUp: true,
			lifeSeconds: 600,
		},
		fields: {
			connection: 'extraction',
			num: 2,
			period: 10,
			options: { region: byCode('US,JP') },
		},
		sent: { num: '2', period: '10', region: 'US,JP', format: 'json' },
		prove: withLogin(2, ['secondsLeft', 'expiresAt']),
	}),
	{
		what: 'overseas static proxies, each with its own login',
		answers: {
			'/api/getsfps': proxyAnswer(
				'113.120.61.166:22989:user-a:password-a:US',
				'122.4.44.132:21808:user-b:password-b:JP',
			),
		},
		order: 'sfps',
		path: '/api/getsfps',
		fields: { product: 'SFPS' },
		sent: { format: 'json' },
		prove({ records }) {
			assert.ok(records.length > 0);
			for (const record of records) {
				assert.deepEqual(Object.keys(record), [...WITH_LOGIN, 'area']);
			}
		},
	},
];
