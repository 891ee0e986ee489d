import fc from 'fast-check';

import { readProxyEntry, type ExtraName } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { anyText, expectSame, MANY_RUNS } from '../../../support/properties.mts';
import { address, requestedNames, value } from '../../../support/proxyEntries.mts';

const BASE = { address: '1.2.3.4:80', host: '1.2.3.4', port: 80 };

const ALL: readonly ExtraName[] = ['region', 'anonymity', 'protocol', 'responseTime'];

describe('an address', () => {
	it.each([
		['113.120.61.166:22989', '113.120.61.166', 22989],
		['1.2.3.4:1', '1.2.3.4', 1],
		['1.2.3.4:65535', '1.2.3.4', 65535],
		['[2001:db8::1]:8080', '2001:db8::1', 8080],
		['[::ffff:1.2.3.4]:80', '::ffff:1.2.3.4', 80],
		['tps119.kdlapi.com:15818', 'tps119.kdlapi.com', 15818],
		['my_host-1.example:80', 'my_host-1.example', 80],
	])('%s is read', (entry, host, port) => {
		expect(readProxyEntry(entry, [])).toEqual({ address: entry, host, port });
	});

	it.each(['  1.2.3.4:80', '1.2.3.4:80 \r\n', '\t1.2.3.4:80', '1.2.3.4:80 ,', '1.2.3.4:80,, ,'])(
		'may have space and separators around it: %j',
		(entry) => {
			expect(readProxyEntry(entry, [])).toEqual(BASE);
		},
	);

	it.each([
		'',
		',',
		'1.2.3.4',
		':80',
		'1.2.3.4.5:80',
		'256.1.1.1:80',
		'1.2.3.4:65536',
		'1.2.3.4:8o',
		'1.2.3.4:80a',
		'1.2.3.4:８０',
		'1.2.3.4: 80',
		'http://1.2.3.4:80',
		'2001:db8::1:8080',
		'[2001:db8::1]',
		'北京:80',
		'北京,1.2.3.4:80',
		'localhost:3128',
		'12:30',
		'1.2:30',
		'...:80',
		'a..example:80',
		'_:80',
		'<html>',
		'{"code":0}',
	])('is not read from %j', (entry) => {
		expect(readProxyEntry(entry, [])).toBeUndefined();
		expect(readProxyEntry(entry, ALL)).toBeUndefined();
	});
});

describe('an address with a login', () => {
	const login = { username: 'd1', password: 'p:a@ss' };

	it.each(['1.2.3.4:80:d1:p:a@ss', '1.2.3.4:80@d1:p:a@ss', 'd1:p:a@ss@1.2.3.4:80'])(
		'is read from %j',
		(entry) => {
			expect(readProxyEntry(entry, [])).toMatchObject({ address: '1.2.3.4:80', ...login });
		},
	);

	it.each(['1.2.3.4:80:d1', '1.2.3.4:80:d1,北京'])(
		'is not guessed from a part of it: %j',
		(entry) => {
			expect(readProxyEntry(entry, ['region'])).toEqual({ ...BASE, raw: entry });
		},
	);

	it.each(['1.2.3.4:80:d1:p\ud800', '1.2.3.4:80@d1\ud800:p', 'd1:\udfffp@1.2.3.4:80'])(
		'is none where a character is cut off: %j',
		(entry) => {
			expect(readProxyEntry(entry, [])).toBeUndefined();
		},
	);

	it('has the area behind it where there is one', () => {
		const area = readProxyEntry('1.2.3.4:80:u:p:q:US', [], true);
		expect(area).toMatchObject({
			address: '1.2.3.4:80',
			username: 'u',
			password: 'p:q',
			area: 'US',
		});
		expect(readProxyEntry('1.2.3.4:80', [], true)).not.toHaveProperty('area');
	});

	it('is read in every layout, of IPv6 and names as well', () => {
		const text = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
		const place = fc.constantFrom('1.2.3.4:80', '[2001:db8::1]:8080', 'x000.kdltps.com:15818');
		fc.assert(
			fc.property(
				text,
				text,
				place,
				fc.integer({ min: 0, max: 3 }),
				(name, word, address, layout) => {
					const pair = `${name}:${word}`;
					const entry = [
						`${address}:${pair}`,
						`${address}@${pair}`,
						`${pair}:${address}`,
						`${pair}@${address}`,
					][layout];
					const read = readProxyEntry(entry, []);
					expect([read?.address, read?.username, read?.password]).toEqual([address, name, word]);
				},
			),
			{ numRuns: 10_000 },
		);
	});
});

describe('the extra values', () => {
	it.each<[string, readonly ExtraName[], object]>([
		[
			'1.2.3.4:80,北京市 电信,高匿名,HTTP/HTTPS,0.5秒',
			ALL,
			{ region: '北京市 电信', anonymity: '高匿名', protocol: 'HTTP/HTTPS', responseTime: '0.5秒' },
		],
		['1.2.3.4:80,高匿名', ['anonymity'], { anonymity: '高匿名' }],
		['1.2.3.4:80,北京,0.5', ['region', 'responseTime'], { region: '北京', responseTime: '0.5' }],
		[
			'1.2.3.4:80, 北京 , 0.5 ',
			['region', 'responseTime'],
			{ region: '北京', responseTime: '0.5' },
		],
		['1.2.3.4:80,,0.5', ['region', 'responseTime'], { region: '', responseTime: '0.5' }],
		['1.2.3.4:80,,', ['region', 'responseTime'], { region: '', responseTime: '' }],
		['1.2.3.4:80,北京,0.5,,', ['region', 'responseTime'], { region: '北京', responseTime: '0.5' }],
		['1.2.3.4:80,0007', ['responseTime'], { responseTime: '0007' }],
	])('of %s are assigned', (entry, requested, extras) => {
		expect(readProxyEntry(entry, requested)).toEqual({ ...BASE, ...extras });
	});

	it.each<[string, readonly ExtraName[]]>([
		['1.2.3.4:80,北京', []],
		['1.2.3.4:80', ['region']],
		['1.2.3.4:80', ALL],
		['1.2.3.4:80,北京', ['region', 'anonymity']],
		['1.2.3.4:80,北京,', ALL],
		[' 1.2.3.4:80,北京,高匿 ', ALL],
		['1.2.3.4:80,浙江杭州,高匿名,HTTP, HTTPS,0.42', ALL],
		['1.2.3.4:80,北京,GET,POST', ['region', 'protocol']],
		['1.2.3.4:80,中国,北京', ['region']],
		['1.2.3.4:80,中国,,北京', ['region']],
	])('of %s are not guessed, where there are more or fewer than asked for', (entry, requested) => {
		expect(readProxyEntry(entry, requested)).toEqual({ ...BASE, raw: entry.trim() });
	});
});

it('reads an address that the HTTP Request node can use', () => {
	fc.assert(
		fc.property(address, ([{ shown }, port]) => {
			const { address = '', host } = readProxyEntry(`${shown}:${port}`, []) ?? {};
			const url = new URL(`http://${address}`);
			const bare = [url.username, url.password, url.search, url.hash, url.pathname].join('');
			expectSame([url.port === '' ? 80 : Number(url.port), bare], [port, '/']);
			expect(url.host).toMatch(shown.startsWith('[') ? /^\[/ : new RegExp(`^${shown}(:|$)`, 'i'));
			expectSame(shown, shown.startsWith('[') ? `[${host}]` : host);
		}),
		MANY_RUNS,
	);
});

it('keeps an entry whole that has more or fewer values than were asked for', () => {
	const other = fc
		.tuple(requestedNames, fc.array(value, { maxLength: 6 }), value)
		.map(([names, values, last]): [ExtraName[], string[]] => [names, [...values, last || 'x']])
		.filter(([names, values]) => names.length !== values.length);
	fc.assert(
		fc.property(other, ([names, values]) => {
			const entry = ['1.2.3.4:80', ...values].join(',');
			expectSame(readProxyEntry(entry, names), { ...BASE, raw: entry.trim() });
		}),
		MANY_RUNS,
	);
});

it('never gives another host or port than the entry has, whatever it is', () => {
	const entry = fc.oneof(
		anyText(),
		fc.string({ unit: fc.constantFrom(...'0123456789.:[],af- ') }),
		fc.tuple(address, fc.nat(), anyText(2)).map(([[{ shown }, port], at, put]) => {
			const text = `${shown}:${port},北京`;
			const position = at % text.length;
			return text.slice(0, position) + put + text.slice(position + 1);
		}),
	);
	fc.assert(
		fc.property(entry, requestedNames, (text, requested) => {
			const found = readProxyEntry(text, requested);
			if (found === undefined) return;
			const first = text.split(',')[0].trim();
			if (found.address !== first) {
				// Something stands beside it: a login, or what nobody knows
				expectSame(first.includes(found.address), true);
				expectSame(found.username !== undefined || found.raw !== undefined, true);
				return;
			}
			const colon = first.lastIndexOf(':');
			expectSame(found.port, Number(first.slice(colon + 1)));
			expectSame(found.port > 0 && found.port < 65_536, true);
			expect([found.host, `[${found.host}]`]).toContain(first.slice(0, colon));
			expect(found.host).toMatch(/^[\w.:-]+$/);
		}),
		MANY_RUNS,
	);
});
