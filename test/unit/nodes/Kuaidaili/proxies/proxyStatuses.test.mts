import {
	answerOfProxy,
	meaningOfAnswer,
} from '../../../../../nodes/Kuaidaili/proxies/proxyStatuses.ts';
import {
	PROXY_PRODUCTS,
	statusesOf,
} from '../../../../../nodes/Kuaidaili/proxies/products/index.ts';

function answer(status: number, { body = '', statusText = '', server = 'nginx' } = {}) {
	return { status, statusText, headers: { server }, body: Buffer.from(body) };
}

/** By product and status, as service-api.md 9.2 has them. */
it.each([
	['DPS', 407, 'login'],
	['OPS', 407, 'service'],
	['DPS', 429, undefined],
	['OPS', 429, 'busyOrder'],
	['TPS', 440, 'bandwidth'],
	['OPS', 440, 'service'],
	['TPS', 441, 'busyOrder'],
	['OPS', 441, 'service'],
	['KPS', 443, 'service'],
	['OPS', 443, 'service'],
	['SFPS', 443, undefined],
	['DPS', 451, 'service'],
	['DPS', 454, 'expired'],
	['DPS', 455, 'service'],
	['DPS', 456, undefined],
	['SFPS', 456, 'service'],
	['TPS_PRO', 457, 'proxy'],
	['KPS', 457, undefined],
	['SFPS', 461, 'proxy'],
	['DPS', 461, undefined],
	['OPS', 502, 'proxy'],
	['DPS', 503, 'host'],
	['FPS', 504, 'proxy'],
	['DPS', 515, 'proxy'],
	['TPS', 517, 'proxy'],
])('%s: %i is about %s', (product, status, cause) => {
	expect(statusesOf(product)[status]?.cause).toBe(cause);
});

it.each([
	[
		'its words in the body',
		'DPS',
		answer(454, { body: 'Proxy Authentication Expired' }),
		'certain',
	],
	[
		'its words in the status line',
		'DPS',
		answer(455, { statusText: 'Risk Host Forbidden' }),
		'certain',
	],
	['the name of its server', 'DPS', answer(499, { server: 'kdl/1.0.0' }), 'certain'],
	['words in another case', 'OPS', answer(429, { body: 'frequency over limit' }), 'certain'],
	['no words', 'DPS', answer(441), 'possible'],
	['words of a page', 'DPS', answer(446, { body: '<html>DNS' }), 'possible'],
	['no words, by a status of pages', 'DPS', answer(503), 'no'],
	['the words of HTTP', 'DPS', answer(451, { statusText: 'Unavailable For Legal Reasons' }), 'no'],
	['no words, by a status of pages', 'OPS', answer(429), 'no'],
	['words of a time-out', 'DPS', answer(503, { body: 'Connect Timeout' }), 'certain'],
	['words of forwarding', 'DPS', answer(516, { body: 'Proxy Setup Failed' }), 'certain'],
	['an unknown status', 'DPS', answer(499), 'no'],
	['an unknown status and words', 'DPS', answer(499, { body: 'Proxy Went Away' }), 'certain'],
	['a page, whatever it says', 'DPS', answer(200, { body: 'Proxy Setup' }), 'no'],
])('an answer over http with %s (%s)', (_sign, product, given, expected) => {
	expect(answerOfProxy(statusesOf(product), given)).toBe(expected);
});

it('shows the words of an unknown status, and blames no proxy', () => {
	const { DPS } = PROXY_PRODUCTS;
	const given = answer(459, { statusText: 'Something New', body: '<html>' });
	expect(meaningOfAnswer(DPS.statuses, given)).toMatchObject({
		cause: 'host',
		meaning: 'it said "Something New"',
	});
	expect(meaningOfAnswer(DPS.statuses, answer(599, { body: '<html>' })).meaning).toBe('');
	const login = answer(459, { statusText: 'Denied t18725652473456:jkr369ry' });
	expect(meaningOfAnswer(DPS.statuses, login).meaning).toBe('it said "Denied ***"');
	expect(meaningOfAnswer(DPS.statuses, answer(454, { body: 'x' })).cause).toBe('expired');
});

it.each(['d1-us:secret12', 'secret12', 'Basic ZDEtdXM6c2VjcmV0MTI=', 'd1-us%3Asecret12'])(
	'hides the login of the proxy in its words: %s',
	(said) => {
		const { statuses } = PROXY_PRODUCTS.DPS;
		const login = { username: 'd1-us', password: 'secret12' };
		const { meaning } = meaningOfAnswer(statuses, answer(500, { statusText: `No ${said}` }), login);
		expect(meaning).toMatch(/^it said "No .+"$/);
		expect(meaning).not.toMatch(/secret12|ZDEtdXM6c2VjcmV0MTI/);
	},
);
