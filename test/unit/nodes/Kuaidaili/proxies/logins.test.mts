import fc from 'fast-check';

import {
	composeLogin,
	proxyUrlWith,
	randomSessionStart,
	sessionOf,
} from '../../../../../nodes/Kuaidaili/proxies/logins.ts';

const TUNNEL = { username: 't18725652473456', password: 'jkr369ry' };
const PRO = { username: 't2964279696', password: 'p' };
const OVERSEAS = { username: 'f2964279696', password: 'p' };

describe('a login says', () => {
	it('nothing more than it is without a wish', () => {
		expect(composeLogin(TUNNEL, {})).toEqual(TUNNEL);
	});

	it('a lock or a channel behind the password', () => {
		expect(composeLogin(TUNNEL, { lock: 'abc' }).password).toBe('jkr369ry:abc');
		expect(composeLogin(TUNNEL, { lock: '3' })).toEqual({ ...TUNNEL, password: 'jkr369ry:3' });
	});

	it('period, session and place behind the user name, in this order', () => {
		const suffixes = [
			['period', '0.5'],
			['sid', 's01'],
		] as const;
		expect(composeLogin(PRO, { suffixes })).toEqual({
			username: 't2964279696-period-0.5-sid-s01',
			password: 'p',
		});
		const place = [
			['region', 'US'],
			['area', 'New York'],
			['period', '1'],
		] as const;
		expect(composeLogin(OVERSEAS, { suffixes: place }).username).toBe(
			'f2964279696-region-US-area-New York-period-1',
		);
	});

	it.each([
		['type-std', 't2964279696-area-NC-type-std'],
		['-pool-q10', 't2964279696-area-NC-pool-q10'],
		['', 't2964279696-area-NC'],
	])('the suffix %j as it was typed, after a hyphen', (suffix, username) => {
		expect(composeLogin(PRO, { suffixes: [['area', 'NC']], suffix }).username).toBe(username);
	});
});

describe('the URL of a proxy', () => {
	it('has the login percent-encoded, and the address as it is', () => {
		const login = { username: 'f1-area-New York', password: 'a:b@c/d%' };
		expect(proxyUrlWith('http', 'x000.kdlfps.com:18866', login)).toBe(
			'http://f1-area-New%20York:a%3Ab%40c%2Fd%25@x000.kdlfps.com:18866',
		);
	});

	it('begins with socks5 for SOCKS, and has no login where none is wanted', () => {
		expect(proxyUrlWith('socks5', '[::1]:20818')).toBe('socks5://[::1]:20818');
	});

	it('is a URL also where a character of the login is cut off', () => {
		const login = { username: 'u-\ud83d', password: 'p' };
		expect(proxyUrlWith('http', '1.2.3.4:80', login)).toBe('http://u-%EF%BF%BD:p@1.2.3.4:80');
	});

	it('gives back every login to whoever takes it apart', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
				const url = new URL(proxyUrlWith('http', '1.2.3.4:80', { username: a, password: b }));
				expect([url.username, url.password].map(decodeURIComponent)).toEqual([a, b]);
				expect(url.host).toBe('1.2.3.4');
			}),
		);
	});
});

describe('a session', () => {
	it('has six letters and digits, and is not that of another number', () => {
		for (const start of [0, 36 ** 6 - 3, randomSessionStart(() => 0.999_999_999)]) {
			const sessions = Array.from({ length: 5000 }, (_, number) => sessionOf(start, number));
			expect(new Set(sessions).size).toBe(5000);
			for (const session of sessions) expect(session).toMatch(/^[a-z0-9]{6}$/);
		}
	});
});
