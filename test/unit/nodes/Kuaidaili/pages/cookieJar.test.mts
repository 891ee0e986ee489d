import { newCookies } from '../../../../../nodes/Kuaidaili/pages/cookieJar.ts';
import { getDomain } from '../../../../../scripts/publicSuffixes.mjs';

it.each([
	['www.example.com', 'example.com'],
	['a.b.example.com.cn', 'example.com.cn'],
	['www.EXAMPLE.co.uk.', 'example.co.uk'],
	['t.co', 't.co'],
	['com.cn', null],
	['localhost', null],
	['10.0.0.1', null],
	['::1', null],
])('%s belongs to %s', (host, domain) => {
	expect(getDomain(host)).toBe(domain);
});

it.each([
	['sid=1; Domain=shop.com.cn', 'https://m.shop.com.cn/', 'sid=1'],
	['sid=1; Domain=com.cn', 'https://other.com.cn/', ''],
	['sid=1; Domain=cn', 'https://other.com.cn/', ''],
	['sid=1; Domain=other.com.cn', 'https://other.com.cn/', ''],
	['sid=1', 'https://m.shop.com.cn/', ''],
	['sid=1; Domain=shop.com.cn; Path=/a', 'https://m.shop.com.cn/b', ''],
	['sid=1; Domain=shop.com.cn; Secure', 'http://m.shop.com.cn/', ''],
])('%s of a shop leaves to %s as "%s"', (setCookie, url, header) => {
	const cookies = newCookies();
	cookies.setCookieSync(setCookie, 'https://www.shop.com.cn/', { ignoreError: true });
	expect(cookies.getCookieStringSync(url)).toBe(header);
});

it('an address has cookies of its own', () => {
	const cookies = newCookies();
	cookies.setCookieSync('sid=1; Path=/', 'http://127.0.0.1:8000/login');
	expect(cookies.getCookieStringSync('http://127.0.0.1:8000/')).toBe('sid=1');
});
