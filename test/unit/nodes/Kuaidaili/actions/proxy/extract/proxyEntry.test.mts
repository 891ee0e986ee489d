import fc from 'fast-check';

import {
	beginsWithAddress,
	EXTRA_OUTPUT,
	readProxyEntry,
	type ExtraName,
} from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/proxyEntry.ts';
import { anyText, expectSame, MANY_RUNS } from '../../../../../support/properties.mts';
import {
	address,
	completeEntry,
	requestedNames,
	value,
} from '../../../../../support/proxyEntries.mts';

const ALL: readonly ExtraName[] = ['region', 'anonymity', 'protocol', 'responseTime'];

it('knows the flags of the service in the order of the values', () => {
	expect(EXTRA_OUTPUT).toEqual([
		['f_loc', 'region'],
		['f_an', 'anonymity'],
		['f_pr', 'protocol'],
		['f_sp', 'responseTime'],
	]);
});

describe('an address', () => {
	it.each([
		['113.120.61.166:22989', '113.120.61.166', 22989],
		['1.2.3.4:1', '1.2.3.4', 1],
		['1.2.3.4:65535', '1.2.3.4', 65535],
		['[2001:db8::1]:8080', '2001:db8::1', 8080],
		['[::ffff:1.2.3.4]:80', '::ffff:1.2.3.4', 80],
		['tps119.kdlapi.com:15818', 'tps119.kdlapi.com', 15818],
		['localhost:3128', 'localhost', 3128],
		['my_host-1.example:80', 'my_host-1.example', 80],
	])('%s is read', (entry, host, port) => {
		expect(readProxyEntry(entry, [])).toEqual({
			proxy: entry,
			host,
			port,
			proxyUrl: `http://${entry}`,
		});
	});

	it.each(['  1.2.3.4:80', '1.2.3.4:80 \r\n', '\t1.2.3.4:80', '1.2.3.4:80 ,', '1.2.3.4:80,, ,'])(
		'may have space and separators around it: %j',
		(entry) => {
			expect(readProxyEntry(entry, [])).toEqual({
				proxy: '1.2.3.4:80',
				host: '1.2.3.4',
				port: 80,
				proxyUrl: 'http://1.2.3.4:80',
			});
		},
	);

	it.each([
		'',
		' ',
		',',
		'1.2.3.4',
		'1.2.3.4:',
		':80',
		'1.2.3.4:0',
		'1.2.3.4.5:80',
		'1.2.3.4.300:80',
		'1.2.3.4.0x:80',
		'256.1.1.1:80',
		'1.2.3.4:00000',
		'1.2.3.4:65536',
		'1.2.3.4:99999',
		'1.2.3.4:808080',
		'1.2.3.4:-80',
		'1.2.3.4:8o',
		'1.2.3.4:80a',
		'1.2.3.4:80.5',
		'1.2.3.4:８０',
		'1.2.3.4: 80',
		'1.2.3.4:80:user:password',
		'user:password@1.2.3.4:80',
		'http://1.2.3.4:80',
		'2001:db8::1:8080',
		'[2001:db8::1]',
		'[]:80',
		'[1.2.3.4:80',
		'北京:80',
		'1.2.3.4:80 北京',
		'北京,1.2.3.4:80',
		'<html>',
		'{"code":0}',
		'Bad gateway',
	])('is not read from %j', (entry) => {
		expect(readProxyEntry(entry, [])).toBeUndefined();
		expect(readProxyEntry(entry, ALL)).toBeUndefined();
		expect(beginsWithAddress(entry)).toBe(false);
	});
});

describe('the extra values', () => {
	const base = { proxy: '1.2.3.4:80', host: '1.2.3.4', port: 80, proxyUrl: 'http://1.2.3.4:80' };

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
		['1.2.3.4:80,北京,GET,POST', ['region', 'protocol'], { region: '北京', protocol: 'GET,POST' }],
		['1.2.3.4:80,中国,北京', ['region'], { region: '中国,北京' }],
		['1.2.3.4:80,中国,,北京', ['region'], { region: '中国,,北京' }],
		['1.2.3.4:80,0007', ['responseTime'], { responseTime: '0007' }],
	])('of %s are assigned', (entry, requested, extras) => {
		expect(readProxyEntry(entry, requested)).toEqual({ ...base, ...extras });
	});

	it.each<[string, readonly ExtraName[], object]>([
		['1.2.3.4:80,北京', [], {}],
		['1.2.3.4:80', ['region'], {}],
		['1.2.3.4:80', ALL, {}],
		['1.2.3.4:80,北京', ['region', 'anonymity'], { region: '北京' }],
		['1.2.3.4:80,北京,', ALL, { region: '北京', anonymity: '' }],
		[' 1.2.3.4:80,北京,高匿 ', ALL, { region: '北京', anonymity: '高匿' }],
	])('of %s that cannot all be assigned leave the entry as well', (entry, requested, extras) => {
		expect(readProxyEntry(entry, requested)).toEqual({ ...base, ...extras, raw: entry.trim() });
	});
});

it('reads every complete entry exactly, whatever its values are', () => {
	fc.assert(
		fc.property(requestedNames.chain(completeEntry), ({ entry, requested, proxy }) => {
			expectSame(readProxyEntry(entry, requested), proxy);
			expectSame(beginsWithAddress(entry), true);
		}),
		MANY_RUNS,
	);
});

it('reads an address that the HTTP Request node can use', () => {
	fc.assert(
		fc.property(address, ([{ shown }, port]) => {
			const { proxyUrl, host } = readProxyEntry(`${shown}:${port}`, []) ?? {};
			const url = new URL(proxyUrl ?? '');
			const bare = [url.username, url.password, url.search, url.hash, url.pathname].join('');
			expectSame([url.port === '' ? 80 : Number(url.port), bare], [port, '/']);
			expect(url.host).toMatch(shown.startsWith('[') ? /^\[/ : new RegExp(`^${shown}(:|$)`, 'i'));
			expectSame(shown, shown.startsWith('[') ? `[${host}]` : host);
		}),
		MANY_RUNS,
	);
});

it('assigns what is there in the order of the flags, and keeps an incomplete entry', () => {
	const incomplete = requestedNames
		.filter((names) => names.length > 0)
		.chain((names) =>
			fc.tuple(fc.constant(names), fc.array(value, { maxLength: names.length - 1 })),
		);
	fc.assert(
		fc.property(incomplete, ([names, values]) => {
			const entry = ['1.2.3.4:80', ...values].join(',');
			const assigned = values.map((one, index) => [names[index], one]);
			expectSame(readProxyEntry(entry, names), {
				proxy: '1.2.3.4:80',
				host: '1.2.3.4',
				port: 80,
				proxyUrl: 'http://1.2.3.4:80',
				...Object.fromEntries(assigned),
				raw: entry.trim(),
			});
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
			expectSame(beginsWithAddress(text), found !== undefined);
			if (found === undefined) return;
			const first = text.split(',')[0].trim();
			const colon = first.lastIndexOf(':');
			expectSame(
				[found.proxy, found.proxyUrl, found.port],
				[first, `http://${first}`, Number(first.slice(colon + 1))],
			);
			expectSame(found.port > 0 && found.port < 65_536, true);
			expect([found.host, `[${found.host}]`]).toContain(first.slice(0, colon));
			expect(found.host).toMatch(/^[\w.:-]+$/);
		}),
		MANY_RUNS,
	);
});
