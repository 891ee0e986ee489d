import {
	localTimeIn,
	parseServiceTime,
	toChinaIso,
	toChinaTime,
} from '../../../../../nodes/shared/service/chinaTime.ts';
import { ApiError } from '../../../../../nodes/shared/api/errors.ts';
import { codeMeaning, documentedCodes } from '../../../../../nodes/shared/service/codes.ts';
import { type CallKind, read } from '../../../../../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../../../../../nodes/shared/service/endpoints/index.ts';
import { HOSTS, readHost } from '../../../../../nodes/shared/service/hosts.ts';
import { CITIES, countryName, PROVINCES } from '../../../../../nodes/shared/service/regionNames.ts';
import { CHINESE_AREAS } from '../../../../../sandbox/catalogue/chineseAreas.mts';
import { ENDPOINTS as SANDBOX_ENDPOINTS } from '../../../../../sandbox/endpoints/table.mts';
import { SETS_A_STATE, SPENDS_MONEY, USES_QUOTA } from '../../../../operations/effects.mts';
import { COMMON_CODES, ENDPOINT_ROWS } from '../../../../operations/index.mts';
import { ROWS } from '../../../../sandbox/endpoints/endpointRows.mts';

/** The same path without `dedup` only reads. */
const USES_ADDRESSES_OF_TODAY = ['GET_NEW_PROXY', 'GET_NEW_PROXY_SVIP'];

function kindOf(name: string, path: string): CallKind {
	if (SPENDS_MONEY.includes(path)) return 'purchase';
	if (USES_QUOTA.includes(path) || USES_ADDRESSES_OF_TODAY.includes(name)) return 'quota';
	return SETS_A_STATE.includes(path) ? 'setting' : 'read';
}

/** One call every so many milliseconds, where the pace of the sandbox alone does not decide. */
const OTHER_PACES: ReadonlyMap<string, readonly number[]> = new Map([
	// By the plan of the order
	['/api/getproxy', [200, 5000]],
	// Has no signature, and no row with the others
	['/api/get_secret_token', [1000]],
	// Nobody says it: the slowest that others have
	['/api/checkopsvalid', [1000]],
	// That of accounts that have not paid anything
	['/api/getua', [1000]],
]);

/** By the strictest of all limits, 120 calls per minute among them, in milliseconds. */
function documentedIntervalMs(path: string): number | undefined {
	const row = ROWS.find((each) => each.path === path);
	if (row === undefined) return undefined;
	const further = row.further.map(({ intervalMs, calls }) => intervalMs / calls);
	return Math.max(1000 / row.callsPerSecond, ...further);
}

/** Own codes that prove that nothing was done, and that another call can mend. */
const OWN_RETRIED: ReadonlyMap<string, readonly number[]> = new Map([
	['/api/getproxy', [-21, -22, -51]],
	...['dps', 'kps', 'kpsbyid', 'tps', 'tpspro', 'fps', 'fpsip', 'sfps'].map(
		(name): [string, number[]] => [`/api/get${name}`, [-2, -51]],
	),
	['/api/get_secret_token', [-2]],
	...['setipwhitelist', 'addwhiteip', 'delwhiteip'].map((name): [string, number[]] => [
		`/api/${name}`,
		[-1],
	]),
]);

const rows = Object.entries(ENDPOINTS).map(([name, endpoint]) => ({ name, endpoint }));

it.each(rows)('$name is where the sandbox has it, and takes the same key', ({ endpoint }) => {
	const { path, host, method, key } = endpoint;
	const known = SANDBOX_ENDPOINTS.find((other) => other.path === path);
	expect(known?.hosts.map((name) => `${name}Url`)).toContain(host);
	expect(known?.methods).toContain(method);
	expect(known?.key).toBe(key === 'either' ? 'any' : key);
});

it.each(rows)('$name is called at a documented pace', ({ endpoint }) => {
	const { path, intervalMs } = endpoint;
	expect(OTHER_PACES.get(path) ?? [documentedIntervalMs(path)]).toContain(intervalMs);
});

it.each(rows)('$name says what it does to the account', ({ name, endpoint }) => {
	expect(endpoint.kind).toBe(kindOf(name, endpoint.path));
});

describe.each(rows)('a refusal by $name', ({ name, endpoint }) => {
	const meanings = [...documentedCodes(endpoint)].map(([code, meaning]) => ({ code, ...meaning }));
	const usesSomethingUp = ['purchase', 'quota'].includes(kindOf(name, endpoint.path));

	it.each(meanings)('says what code $code means and what to do', ({ message, description }) => {
		for (const text of [message, description]) {
			expect(text).toMatch(/^[A-Z'][\x20-\x7E]{9,}$/);
			expect(text).not.toMatch(/ {2}|\b(error|problem|failure|mistake|sorry|please try)/i);
		}
		expect(message).not.toMatch(/[.!?:,]$/);
		expect(description).toMatch(/[^.]\.$/);
	});

	it('with a code that is not documented has no meaning', () => {
		for (const code of [0, 5, -99, -1000, NaN, Infinity]) {
			expect(codeMeaning(endpoint, code)).toBeUndefined();
		}
	});

	it('for the wrong key pair tells the kind that is needed', () => {
		const description = codeMeaning(endpoint, -123)?.description;
		expect(description).toContain(
			{
				account: "Use a credential with the account's key pair",
				order: "order's own key pair",
				either: "Set 'Key Type' in the credential",
			}[endpoint.key],
		);
	});

	it('leaves open whether something was done only after an internal fault or a repetition', () => {
		const open = meanings
			.filter(({ outcomeUnknown }) => outcomeUnknown === true)
			.map(({ code }) => code);
		const ofRepetition = usesSomethingUp ? [-114] : [];
		const ofOrder = name === 'CREATE_ORDER' ? [-72] : [];
		expect(new Set(open)).toEqual(new Set([-109, ...ofRepetition, ...ofOrder]));
	});

	it('is answered by another call only where it says "too early", "authenticate anew" or "something went wrong"', () => {
		const retried = meanings.flatMap(({ code, retry }) => (retry === undefined ? [] : [code]));
		const authentication = [-102, -104, -107, -112, -114, -122].filter(
			(code) => code !== -114 || !usesSomethingUp,
		);
		const own = OWN_RETRIED.get(endpoint.path) ?? [];
		expect(new Set(retried)).toEqual(new Set([...authentication, -109, -120, ...own]));
	});
});

/** In the words of the table of facts, which was written from the documentation. */
it.each(ENDPOINT_ROWS)('$path says of each documented code what it means', ({ path, codes }) => {
	const endpoints = Object.values(ENDPOINTS).filter((endpoint) => endpoint.path === path);
	for (const [code, words] of Object.entries({ ...COMMON_CODES, ...codes })) {
		// What an operation says of what may have been done, the engine's tests show
		if (!(words instanceof RegExp) || words.source.includes('may have been')) continue;
		const told = endpoints.map((endpoint) => {
			const { message, description } = new ApiError(endpoint, Number(code), '').describe();
			return `${code}: ${message} ${description}`;
		});
		expect(told).toContainEqual(expect.stringMatching(words));
	}
});

it.each([
	[-112, /signature too old.*clock/],
	[-114, /duplicate.*new signature/],
	[-120, /called too often.*same key/],
])('%i, after which the node tries again, is told where it stays', (code, words) => {
	const { message, description } = new ApiError(
		read('/api/any', { key: 'order' }),
		code,
		'',
	).describe();
	expect(`${message} ${description}`).toMatch(words);
});

it('an own code of an endpoint comes before the common one', () => {
	const own = { message: 'Something else', description: 'Do something else.' };
	const endpoint = read('/api/any', { key: 'order', codes: { [-107]: own } });
	expect(codeMeaning(endpoint, -107)).toBe(own);
});

describe('a host', () => {
	it.each([
		['https://dev.kdlapi.com', 'https://dev.kdlapi.com'],
		['https://dev.kdlapi.com/', 'https://dev.kdlapi.com'],
		['  https://dev.kdlapi.com \n', 'https://dev.kdlapi.com'],
		['HTTPS://Dev.KdlApi.com', 'https://dev.kdlapi.com'],
		['https://dev.kdlapi.com:443', 'https://dev.kdlapi.com'],
		['https://test.example:8443/', 'https://test.example:8443'],
		['https://[2001:db8::1]:8443', 'https://[2001:db8::1]:8443'],
		['http://127.0.0.1:5000', 'http://127.0.0.1:5000'],
		['http://127.255.1.2', 'http://127.255.1.2'],
		['http://localhost:5000/', 'http://localhost:5000'],
		['http://[::1]:5000', 'http://[::1]:5000'],
	])('%j is read as %s', (value, expected) => {
		expect(readHost(HOSTS.baseUrl, value)).toBe(expected);
	});

	describe.each<[string, unknown[], string]>([
		[
			'is empty',
			['', '   ', '\n', undefined, null, 5, true, {}, ['https://a.example']],
			'is empty',
		],
		[
			'is no web address',
			[
				'dev.kdlapi.com',
				'just text',
				'https://',
				'https://exa mple.com',
				'//dev.kdlapi.com',
				'/api',
			],
			'is not a web address',
		],
		[
			'has a user name or password',
			['https://user@dev.kdlapi.com', 'https://:pass@dev.kdlapi.com', 'https://u:p@127.0.0.1:5000'],
			'cannot be used: it must not contain a user name or password',
		],
		[
			'has more than scheme, host and port',
			[
				'https://dev.kdlapi.com/api',
				'https://dev.kdlapi.com//',
				'https://dev.kdlapi.com?a=1',
				'https://dev.kdlapi.com/#top',
			],
			'cannot be used: it must not contain a path, a query or a fragment',
		],
		[
			'is no place on a network',
			['javascript:alert(1)', 'data:text/plain,x', 'mailto:a@b.example', 'blob:https://a.example/'],
			'cannot be used: it must ',
		],
		[
			'is not safe on the way',
			[
				'http://dev.kdlapi.com',
				'http://192.168.1.5',
				'http://10.0.0.1:5000',
				'http://localhost.evil.example',
				'http://a.localhost',
				'http://128.0.0.1',
				'http://127.0.0.1.evil.example',
				'http://[::2]',
				'http://0.0.0.0',
				'ftp://dev.kdlapi.com',
				'ws://127.0.0.1',
				'file:///',
			],
			'cannot be used: it must begin with https://',
		],
	])('that %s', (_name, values, reason) => {
		it.each(values)('(%j) is refused', (value) => {
			expect(() => readHost(HOSTS.baseUrl, value)).toThrow(
				`'Base URL' in the credential ${reason}`,
			);
		});
	});

	it.each(Object.entries(HOSTS))('%s is named in the message, with an example', (_name, host) => {
		for (const value of ['', 'x', 'https://u@x', 'https://x/y', 'http://x']) {
			const read = () => readHost(host, value);
			expect(read).toThrow(`'${host.displayName}'`);
			expect(read).toThrow(`Use an address such as ${host.origin}.`);
		}
	});

	it('is not shown in a refusal, because it could contain a password', () => {
		expect(() => readHost(HOSTS.baseUrl, 'https://user:pass@a.example')).not.toThrow(/pass@|user:/);
	});
});

describe('the names of regions', () => {
	describe('the English name of a country', () => {
		it.each([
			['US', 'United States'],
			['JP', 'Japan'],
			['PH', 'Philippines'],
			['GB', 'United Kingdom'],
			['us', 'United States'],
		])('%s is %s', (code, name) => {
			expect(countryName(code)).toBe(name);
		});

		it.each(['', 'U', 'USA', '1', '33', '3301', 'U1', '美国', 'QX', ' US', 'US\n', 'constructor'])(
			'is unknown for %j, which is no country',
			(code) => {
				expect(countryName(code)).toBeUndefined();
			},
		);
	});

	/*
	 * The sandbox's list was written independently, with Chinese names.
	 */

	const names = new Map(CHINESE_AREAS.map(({ code, name }) => [code, name]));
	const provinceCodes = [...names.keys()].filter((code) => code.length === 2);
	const cityCodes = [...names.keys()].filter((code) => code.length === 4);

	it('has every province and every city, and no other', () => {
		expect(Object.keys(PROVINCES).sort()).toEqual(provinceCodes.sort());
		expect(Object.keys(CITIES).sort()).toEqual(cityCodes.sort());
		expect(provinceCodes).toHaveLength(34);
		expect(cityCodes.length).toBeGreaterThan(330);
	});

	it.each(Object.entries(PROVINCES))('names the province %s in Chinese', (code, { chinese }) => {
		expect(names.get(code)).toMatch(new RegExp(`^${chinese}[省市]?$`));
	});

	it.each(Object.entries(CITIES))('names the city %s in Chinese', (code, { chinese }) => {
		expect(names.get(code)).toMatch(
			new RegExp(`^${chinese}(?:市|地区|\\p{Script=Han}*自治州)?$`, 'u'),
		);
	});

	it('has names that can be read and typed', () => {
		for (const { english } of [...Object.values(CITIES), ...Object.values(PROVINCES)])
			expect(english).toMatch(/^[A-ZÜ][\p{Script=Latin}' ]{2,}$/u);
	});

	it('gives no two cities of one province the same name', () => {
		const inProvinces = Object.entries(CITIES).map(
			([code, { english }]) => `${code.slice(0, 2)} ${english}`,
		);
		expect(new Set(inProvinces).size).toBe(inProvinces.length);
	});

	/** From the national standard, each of them easily mistaken for another. */
	it.each([
		['1309', 'Cangzhou', '沧州市'],
		['3212', 'Taizhou', '泰州市'],
		['3301', 'Hangzhou', '杭州市'],
		['3310', 'Taizhou', '台州市'],
		['3213', 'Suqian', '宿迁市'],
		['3205', 'Suzhou', '苏州市'],
		['3413', 'Suzhou', '宿州市'],
		['3609', 'Yichun', '宜春市'],
		['2307', 'Yichun', '伊春市'],
		['4205', 'Yichang', '宜昌市'],
		['3501', 'Fuzhou', '福州市'],
		['3610', 'Fuzhou', '抚州市'],
		['4403', 'Shenzhen', '深圳市'],
		['4503', 'Guilin', '桂林市'],
		['5306', 'Zhaotong', '昭通市'],
		['6101', "Xi'an", '西安市'],
		['6108', 'Yulin', '榆林市'],
		['4509', 'Yulin', '玉林市'],
		['6501', 'Ürümqi', '乌鲁木齐市'],
	])('%s is %s %s', (code, english, chinese) => {
		expect(CITIES[code].english).toBe(english);
		expect(names.get(code)).toBe(chinese);
	});

	it.each([
		['14', 'Shanxi', '山西'],
		['61', 'Shaanxi', '陕西'],
		['45', 'Guangxi', '广西'],
		['37', 'Shandong', '山东'],
		['41', 'Henan', '河南'],
		['43', 'Hunan', '湖南'],
		['13', 'Hebei', '河北'],
		['42', 'Hubei', '湖北'],
		['46', 'Hainan', '海南'],
	])('the province %s is %s %s', (code, english, chinese) => {
		expect(PROVINCES[code]).toEqual({ english, chinese });
	});
});

describe('the time in China', () => {
	const MOMENT = Date.UTC(2026, 5, 18, 4, 1, 43);

	it.each([
		'2026-06-18 12:01:43',
		' 2026-06-18 12:01:43 ',
		'2026-06-18T12:01:43',
		'2026-06-18 12:01:43.5',
		'2026-06-18T04:01:43Z',
		'2026-06-18T04:01:43.000Z',
		'2026-06-18T12:01:43+08:00',
		'2026-06-17 23:01:43-05:00',
	])('reads %p, without a zone as China time', (value) => {
		expect(Math.floor(Number(parseServiceTime(value)) / 1000)).toBe(MOMENT / 1000);
	});

	it.each([
		'',
		'2026-06-18',
		'06/18/2026 12:01:43',
		'18-06-2026 12:01:43',
		'2026-06/18 12:01:43',
		'2026-13-18 12:01:43',
		'2026-02-30 12:01:43',
		'2026-06-18 25:01:43',
		'2026-06-18 12:61',
		'0000-00-00 00:00:00',
		'0001-01-01 00:00:00',
		'1970-01-01 08:00:00',
		'never',
		'2026-06-18 12:01',
		'2026/06/18 12:01:43',
		'1781755303',
		1781755303,
		0,
		1,
		1781755303.5,
		178175530,
		null,
		undefined,
		true,
		{},
	])('does not read %p', (value) => {
		expect(parseServiceTime(value)).toBeUndefined();
	});

	it('writes a moment as the member center does, and reads it again', () => {
		expect(toChinaTime(Date.UTC(2026, 0, 1, 0, 0, 0, 999))).toBe('2026-01-01 08:00:00');
		const moment = Date.UTC(2026, 11, 31, 20, 0, 0);
		expect(toChinaTime(moment)).toBe('2027-01-01 04:00:00');
		expect(toChinaIso(moment)).toBe('2027-01-01T04:00:00+08:00');
		for (const text of [toChinaTime(moment), toChinaIso(moment)]) {
			expect(parseServiceTime(text)).toBe(moment);
		}
	});
});

const MOMENT = Date.parse('2026-06-18T04:01:43Z');

describe('a moment is told', () => {
	it.each([
		['Asia/Shanghai', '2026-06-18 12:01:43 (China time)'],
		['Asia/Singapore', '2026-06-18 12:01:43 (China time)'],
		['Europe/Berlin', '2026-06-18 06:01:43 (Europe/Berlin; 2026-06-18 12:01:43 in China)'],
		['America/New_York', '2026-06-18 00:01:43 (America/New_York; 2026-06-18 12:01:43 in China)'],
		[
			'America/Los_Angeles',
			'2026-06-17 21:01:43 (America/Los_Angeles; 2026-06-18 12:01:43 in China)',
		],
	])('by the clock of the workflow and the one of the member center: %s', (timeZone, text) => {
		expect(localTimeIn(timeZone)(MOMENT)).toBe(text);
	});

	it.each(['', 'DEFAULT', 'Mars/Olympus'])('in China time without a known zone: %j', (timeZone) => {
		expect(localTimeIn(timeZone)(MOMENT)).toBe('2026-06-18 12:01:43 (China time)');
	});

	it('with the summer time of its day', () => {
		expect(localTimeIn('Europe/Berlin')(Date.parse('2026-12-18T04:01:43Z'))).toContain(
			'2026-12-18 05:01:43 (Europe/Berlin',
		);
	});
});
