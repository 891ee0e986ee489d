import { post } from '../client.mts';
import { codeOf, entriesOf, type KeyName } from '../extracting.mts';
import { later, set, setting, tell, type Step, type Story } from '../stories.mts';

/* What holds for the extraction of every product; open proxies have codes of their own. */

interface Row {
	/** The first one is the usual order. */
	keys: readonly [KeyName, ...KeyName[]];
	/** That works. */
	query: string;
	/** How many entries it brings. */
	count: number;
	/** What an entry looks like. */
	form: RegExp;
}

const ADDRESS = /127(\.\d+){3}:\d{5}/;
const ENTRANCE = /[a-z\d.]+:\d{4,5}/;

const ROWS: Readonly<Record<string, Row>> = {
	getdps: {
		keys: ['dps', 'dpsEven', 'dpsPerIp', 'dpsProfessional'],
		...{ query: 'num=3', count: 3, form: ADDRESS },
	},
	getkps: {
		keys: ['kpsSeveral', 'kps', 'kpsDynamic', 'kpsExclusive'],
		...{ query: 'num=3', count: 3, form: ADDRESS },
	},
	gettps: {
		keys: ['tps', 'tpsPayAsUsed', 'tpsMinute', 'tpsHour', 'tpsChannels'],
		...{ query: 'num=1', count: 1, form: ENTRANCE },
	},
	gettpspro: { keys: ['tpsPro'], query: 'num=1', count: 1, form: ENTRANCE },
	getfps: { keys: ['fps', 'fpsMonthly'], query: '', count: 1, form: ENTRANCE },
	getfpsip: { keys: ['fps', 'fpsMonthly'], query: 'num=3&period=5', count: 3, form: ADDRESS },
	getsfps: { keys: ['sfpsPackage', 'sfps'], query: '', count: 3, form: ADDRESS },
};

const EVERY_KEY: readonly KeyName[] = [
	...Object.values(ROWS).flatMap(({ keys }) => keys),
	...(['opsVip', 'topUp'] as const),
];

const SEPARATORS = { 1: '\r\n', 2: '\n', 3: ' ', 4: '|' };

const STATES = {
	...{ WAIT_PAY: -11, OPENING: -12, OWING: -12, CLOSED: -12 },
	...{ EXPIRED: -13, FORBIDDEN: -14, REFUNDED: -16 },
};

function storiesOf([name, { keys, query, count, form }]: [string, Row]): Record<string, Step[]> {
	const [key] = keys;
	const asked = `${key} ${name}?${query}`;
	const works: Step = [asked, form];
	const entries = Array(count).fill(expect.stringMatching(form));

	const ages: Step = ({ order, sandbox }) =>
		Object.assign(order(key), { expiresAt: new Date(sandbox.clock.milliseconds() - 1000) });

	return {
		[`${name}: formats`]: [
			[asked, (reply) => expect(entriesOf(reply)).toEqual(entries)],
			...Object.entries(SEPARATORS).map(
				([sep, between]): Step => [
					`${asked}&sep=${sep}&format=text`,
					({ text, headers }) => {
						expect(headers.get('content-type')).toContain('text/plain');
						expect(text.split(between)).toEqual(entries);
					},
				],
			),
			[
				`${asked}&format=json`,
				({ json, headers }) => {
					expect(headers.get('content-type')).toContain('application/json');
					expect(json).toMatchObject({ code: 0, msg: '', data: { count, proxy_list: entries } });
				},
			],
			[
				`${asked}&format=xml`,
				({ text, headers }) => {
					expect(headers.get('content-type')).toContain('xml');
					expect(text).toContain(`<data>\n<count>${count}</count>\n<proxy_list>\n<proxy>`);
					const found = [...text.matchAll(/<proxy>(.*)<\/proxy>/g)].map(([, entry]) => entry);
					expect(found).toEqual(entries);
				},
			],
			...['format=csv', 'format=', 'sep=5', 'sep=', 'x=1'].map(
				(wrong): Step => [`${asked}&${wrong}`, -3],
			),
			set(key, { status: 'FORBIDDEN' }),
			[asked, /^ERROR\(-14\): .+$/],
			[`${asked}&format=json`, /"code":-14/],
			[`${asked}&format=xml`, /<code>-14<\/code>\n<msg>.+<\/msg>\n<data><\/data>/],
			set(key, { status: 'VALID' }),
			setting({ inapplicableParameters: 'ignore' }),
			[`${asked}&x=1`, form],
		],
		[`${name}: whose keys, in which state`]: [
			...keys.map((each): Step => [`${each} ${name}?${query}`, form]),
			...EVERY_KEY.filter((each) => !keys.includes(each)).map(
				(each): Step => [`${each} ${name}?${query}`, -5],
			),
			wrongKeys([-102, -123]),
			setting({ wrongKeyCode: 'common' }),
			wrongKeys([-123, -123]),
			setting({ wrongKeyCode: 'endpoint' }),
			wrongKeys([-102, -102]),
			({ sandbox }) => sandbox.extractions.clear(),
			...Object.entries(STATES).flatMap(([status, code]): Step[] => [
				set(key, { status }),
				[asked, code],
			]),
			set(key, { status: 'VALID' }),
			setting({ newOrdersWaitSeconds: 60 }),
			works,
			({ order, sandbox }) => (order(key).createdAt = sandbox.clock.now()),
			later(59_000),
			[asked, -2],
			later(1000),
			works,
			ages,
			[asked, -13],
			({ sandbox }) => expect(sandbox.extractions.count()).toBe(2),
		],
		[`${name}: is written down, also when the answer is lost`]: [
			works,
			({ order, sandbox }) => {
				const { orderId, product } = order(key);
				const { secretId } = order(key).keys;
				const path = `/api/${name}`;
				expect(sandbox.extractions.entries()).toMatchObject([
					{ path, orderId, product, count, secretId, request: 1 },
				]);
			},
			...(
				[
					[{ kind: 'cut', when: 'before', times: 1 }, 1],
					[{ kind: 'cut', when: 'after', times: 1 }, 2],
					[{ kind: 'status', status: 502, when: 'before', times: 1 }, 2],
					[{ kind: 'status', status: 502, when: 'after', times: 1 }, 3],
					[{ kind: 'halfBody', promise: 'full', times: 1 }, 4],
					[{ kind: 'code', code: -109, when: 'after', times: 1 }, 5],
				] as const
			).map(
				([fault, calls]): Step =>
					async ({ ask, sandbox }) => {
						sandbox.faults.add(fault);
						await ask(asked).catch(() => undefined);
						expect([sandbox.extractions.count(), sandbox.extractions.total()]).toEqual([
							calls,
							calls * count,
						]);
					},
			),
		],
	};

	/** Of the key of the account: with a signature, and with a token. */
	function wrongKeys(codes: number[]): Step {
		return async ({ ask, sandbox }: Story) => {
			const { secretId } = sandbox.keys.account;
			const { value } = sandbox.tokens.obtain(secretId);
			const own = Object.fromEntries(new URLSearchParams(query));
			const signed = codeOf(await ask(`account ${name}?${query}`));
			const url = sandbox.log.last();
			const host = sandbox.hosts[`${url?.host ?? 'base'}Url`];
			const byToken = { ...own, secret_id: secretId, signature: value };
			expect([signed, codeOf(await post(`${host}/api/${name}`, byToken))]).toEqual(codes);
		};
	}
}

for (const row of Object.entries(ROWS)) tell(storiesOf(row));
