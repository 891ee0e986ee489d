import { signRequest } from '../../../../../nodes/shared/credential/signRequest.ts';
import { DEFAULT_HOSTS } from '../../../../../nodes/shared/service/hosts.ts';
import { credentialWith, SECRET_KEY } from '../../../support/credential.mts';
import { deepFreeze } from '../../../support/frozen.mts';
import { serviceView } from '../../../support/serviceView.mts';
import {
	AUTHENTICATION,
	FORM_HEADER,
	NOW,
	older,
	own,
	sign,
	signing,
	URL_OF_CALL,
} from './signing.mts';

describe('a request of the node', () => {
	it('carries the five authentication fields beside its own', () => {
		const signed = sign({ url: URL_OF_CALL, qs: { num: '5', area: '北京,上海' } });
		const { query } = serviceView(signed);
		expect([...query.keys()].sort()).toEqual(['area', ...AUTHENTICATION, 'num'].sort());
		expect(own(query)).toEqual({ num: '5', area: '北京,上海' });
		expect(signed.url).toBe(URL_OF_CALL);
	});

	it('keeps every other option as it is', () => {
		const others = { encoding: 'text', timeout: 7, json: false, returnFullResponse: true } as const;
		expect(sign({ url: URL_OF_CALL, ...others })).toMatchObject(others);
	});

	it('is signed with the time in whole seconds', () => {
		const { query } = serviceView(sign({ url: URL_OF_CALL }));
		expect(query.get('timestamp')).toBe('1555069980');
	});

	it('has a nonce from 1 to 100 million, fresh each time', () => {
		const nonces = Array.from({ length: 500 }, () => {
			const { query } = serviceView(signRequest(signing, { url: URL_OF_CALL }, NOW));
			return query.get('nonce') ?? '';
		});
		for (const nonce of nonces) {
			expect(nonce).toMatch(/^[1-9]\d{0,8}$/);
			expect(Number(nonce)).toBeLessThanOrEqual(100_000_000);
		}
		// Among 500 of 100 million the chance of more than five twins is about one in ten billion
		expect(new Set(nonces).size).toBeGreaterThanOrEqual(495);
		expect(Math.max(...nonces.map(Number))).toBeGreaterThan(50_000_000);
	});

	it('is a copy: the given options stay as they are', () => {
		const request = deepFreeze({ url: URL_OF_CALL, qs: { num: '5' }, headers: { a: 'b' } });
		const signed = sign(request);
		expect(signed).not.toBe(request);
		expect(signed.qs).not.toBe(request.qs);
		expect(request).toEqual({ url: URL_OF_CALL, qs: { num: '5' }, headers: { a: 'b' } });
	});

	it('takes the query from inside the address', () => {
		const { url, query } = serviceView(sign({ url: `${URL_OF_CALL}?num=5&area=%E5%8C%97+x` }));
		expect(url.href).toBe(URL_OF_CALL);
		expect(own(query)).toEqual({ num: '5', area: '北 x' });
	});

	it('takes the query from both places, where the separate one wins', () => {
		const { query } = serviceView(
			sign({ url: `${URL_OF_CALL}?num=5&sort=1`, qs: { num: 6, dedup: 1 } }),
		);
		expect(own(query)).toEqual({ num: '6', sort: '1', dedup: '1' });
	});

	it('joins a parameter that is in the address several times with commas', () => {
		const { query } = serviceView(sign({ url: `${URL_OF_CALL}?port=80&port=8080` }));
		expect(query.get('port')).toBe('80,8080');
	});

	it('keeps an empty value, in the query and in what is signed', () => {
		const { query } = serviceView(sign({ url: URL_OF_CALL, qs: { 'kps.city': '' } }));
		expect(query.get('kps.city')).toBe('');
	});

	it('with HEAD carries everything in the query', () => {
		const signed = sign({ url: URL_OF_CALL, method: 'HEAD', qs: { num: 5 } });
		expect(serviceView(signed).query.get('num')).toBe('5');
		expect(serviceView(signed).query.has('signature')).toBe(true);
		expect(signed).not.toHaveProperty('body');
	});

	it('drops the fragment of the address', () => {
		expect(sign({ url: `${URL_OF_CALL}#top` }).url).toBe(URL_OF_CALL);
	});

	it('signs the method in upper case and takes GET where none is given', () => {
		expect(serviceView(sign({ url: URL_OF_CALL })).method).toBe('GET');
		expect(serviceView(sign({ url: URL_OF_CALL, method: 'POST' })).method).toBe('POST');
	});

	it.each([
		['https://dev.kdlapi.com', '/api/getproxy'],
		['https://dev.kdlapi.com/', 'api/getproxy'],
		['https://dev.kdlapi.com/api', 'getproxy'],
		['https://dev.kdlapi.com/api/', '/getproxy'],
		['https://dev.kdlapi.com', 'https://dev.kdlapi.com/api/getproxy'],
		['https://elsewhere.example', 'https://dev.kdlapi.com/api/getproxy'],
		['https://elsewhere.example', 'HTTPS://dev.kdlapi.com/api/getproxy'],
		['https://dev.kdlapi.com', '/api/getproxy?from=https://elsewhere.example'],
	])('joins the base %s with %s', (baseURL, url) => {
		const signed = sign({ baseURL, url });
		expect(signed.url).toBe(URL_OF_CALL);
		expect(signed).not.toHaveProperty('baseURL');
	});

	it('follows no redirect, whatever it asked for', () => {
		const asked = {
			maxRedirects: 21,
			disableFollowRedirect: false,
			followRedirect: true,
			followAllRedirects: true,
			sendCredentialsOnCrossOriginRedirect: true,
		};
		expect(sign({ url: URL_OF_CALL, ...asked })).toMatchObject({
			maxRedirects: 0,
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			sendCredentialsOnCrossOriginRedirect: false,
		});
	});

	it('does not contain the secret key anywhere', () => {
		const signed = sign({
			url: URL_OF_CALL,
			method: 'POST',
			headers: FORM_HEADER,
			body: { a: '1' },
		});
		expect(JSON.stringify(signed)).not.toContain(SECRET_KEY);
	});
});

describe('the host', () => {
	it.each([
		...Object.values(DEFAULT_HOSTS).map((origin) => `${origin}/api/x`),
		'https://DEV.KDLAPI.COM/api/x',
		'https://dev.kdlapi.com:443/api/x',
	])('%s gets the signed request', (url) => {
		expect(serviceView(sign({ url })).url.pathname).toBe('/api/x');
	});

	it.each([
		'https://kdlapi.com/api/x',
		'https://new.host.kdlapi.com/api/x',
		'https://dev.kdlapi.com:8443/api/x',
		'http://127.0.0.1:5678/webhook/x',
		'http://127.1.2.3/api/x',
		'http://localhost:5000/api/x',
		'http://[::1]:5000/api/x',
		'https://localhost/api/x',
		'https://example.com/api/x',
		'https://kdlapi.com.evil.example/api/x',
		'https://dev.kdlapi.com.evil.example/api/x',
		'https://evilkdlapi.com/api/x',
		'https://evil-kdlapi.com/api/x',
		'https://kdlapi.com@evil.example/api/x',
		'https://dev.kdlapi.com:443@evil.example/api/x',
		'https://evil.example#@dev.kdlapi.com/api/x',
		'https://evil.example/?.kdlapi.com',
		'https://evil.example\\.kdlapi.com/api/x',
		'https://kdlapi.com./api/x',
		'https://kdlаpi.com/api/x',
		'https://kdlapi.co/api/x',
		'https://127.0.0.1.evil.example/api/x',
		'https://localhost.evil.example/api/x',
		'http://dev.kdlapi.com/api/x',
		'http://example.com/api/x',
		'http://192.168.0.1/api/x',
		'http://[::2]/api/x',
		'ftp://dev.kdlapi.com/api/x',
		'file:///api/x',
	])('%s gets nothing', (url) => {
		expect(() => signRequest(signing, { url }, NOW)).toThrow(/is not sent to/);
		expect(() => signRequest(signing, older({ uri: url }), NOW)).toThrow(/is not sent to/);
	});

	it('of the credential gets the signed request, on exactly its port', () => {
		const credential = credentialWith({ customHosts: true, svipUrl: 'https://test.example:8443' });
		sign({ url: 'https://test.example:8443/api/x' }, credential);
		for (const origin of [
			'https://test.example',
			'http://test.example:8443',
			DEFAULT_HOSTS.svipUrl,
		]) {
			expect(() => sign({ url: `${origin}/api/x` }, credential)).toThrow(/is not sent to/);
		}
	});

	it('on this machine gets the signed request where the credential names it', () => {
		const credential = credentialWith({ customHosts: true, svipUrl: 'http://127.0.0.1:5000' });
		sign({ url: 'http://127.0.0.1:5000/api/x' }, credential);
		expect(() => sign({ url: 'http://127.0.0.1:5678/api/x' }, credential)).toThrow(
			/is not sent to/,
		);
	});

	it('of the credential counts only while custom hosts are on', () => {
		const credential = credentialWith({ customHosts: false, svipUrl: 'https://test.example' });
		expect(() => sign({ url: 'https://test.example/api/x' }, credential)).toThrow(/is not sent to/);
	});

	it('is what a refusal shows of the address, no user name and no query', () => {
		const refuse = () => sign({ url: 'https://name:pass@evil.example/p?signature=abc' });
		expect(refuse).toThrow('is not sent to https://evil.example. ');
		expect(refuse).not.toThrow(/name|pass|abc/);
	});

	it('loses a user name in front of it', () => {
		expect(sign({ url: 'https://u:p@dev.kdlapi.com/api/getproxy' }).url).toBe(URL_OF_CALL);
	});
});
