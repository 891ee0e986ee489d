import { readProxyEntry, type ExtraName } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';

const BASE = { address: '1.2.3.4:80', host: '1.2.3.4', port: 80 };

const ALL: readonly ExtraName[] = ['region', 'anonymity', 'protocol', 'responseTime'];

describe('an address', () => {
	it.each([
		['113.120.61.166:22989', '113.120.61.166', 22989],
		['1.2.3.4:1', '1.2.3.4', 1],
		['1.2.3.4:65535', '1.2.3.4', 65535],
		['[2001:db8::1]:8080', '2001:db8::1', 8080],
		['[::ffff:1.2.3.4]:80', '::ffff:1.2.3.4', 80],
		['[2001:DB8:1:2:3:4:5:6]:443', '2001:DB8:1:2:3:4:5:6', 443],
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
		'[1::2::3]:80',
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

	it.each(['1.2.3.4:80', '[2001:db8::1]:8080', 'x000.kdltps.com:15818'])(
		'is read in every layout beside %s',
		(address) => {
			const layouts = [`${address}:u:p`, `${address}@u:p`, `u:p:${address}`, `u:p@${address}`];
			for (const entry of layouts) {
				expect(readProxyEntry(entry, [])).toMatchObject({ address, username: 'u', password: 'p' });
			}
		},
	);
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
