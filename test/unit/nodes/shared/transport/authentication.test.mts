import type { KeyPair } from '../../../../../nodes/shared/credential/kuaidailiCredential.ts';
import type { Endpoint } from '../../../../../nodes/shared/service/endpoint.ts';
import { GET_ORDER_INFO } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { GET_SECRET_TOKEN } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { Authentication } from '../../../../../nodes/shared/transport/authentication.ts';
import { ApiError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';

type SignType = 'hmacsha1' | 'token';

const NEW_PAIR: KeyPair = { keyType: 'order', secretId: 'new-id', secretKey: 'new-key' };

/** Tokens and key pairs are numbered by how often they were fetched. */
function authenticationWith(
	signType: SignType,
	renewKeyPair?: () => (() => Promise<KeyPair>) | undefined,
) {
	const credential = freshCredential({ signType });
	const tokensOf: string[] = [];
	const authentication = new Authentication(credential, {
		async obtainToken({ secretId }) {
			tokensOf.push(secretId);
			return await Promise.resolve(`token-${tokensOf.length}`);
		},
		renewKeyPair,
	});
	return { authentication, credential, tokensOf };
}

const changedPair = () => async () => await Promise.resolve(NEW_PAIR);

function refusal(code: number, endpoint: Endpoint = GET_ORDER_INFO): ApiError {
	return new ApiError(endpoint, code, '');
}

describe('with signed requests', () => {
	it('needs nothing, and hides the key', async () => {
		const { authentication, tokensOf } = authenticationWith('hmacsha1');
		await authentication.prepare();
		expect(authentication.token).toBeUndefined();
		expect(authentication.secrets()).toEqual([SECRET_KEY, '', '']);
		expect(tokensOf).toEqual([]);
	});

	it.each([-102, -104, -107, -122])('has nothing to fetch anew after %d', (code) => {
		expect(authenticationWith('hmacsha1').authentication.renew(refusal(code))).toBe(false);
	});
});

describe('with a token', () => {
	it('has it once it is prepared, and hides it', async () => {
		const { authentication } = authenticationWith('token');
		expect(authentication.token).toBeUndefined();
		await authentication.prepare();
		expect(authentication.token).toBe('token-1');
		expect(authentication.secrets()).toEqual([SECRET_KEY, 'token-1', '']);
	});

	it.each([-104, -107, -122])('gets another one after %d', async (code) => {
		const { authentication } = authenticationWith('token');
		await authentication.prepare();
		expect(authentication.renew(refusal(code))).toBe(true);
		expect(authentication.token).toBeUndefined();
		await authentication.prepare();
		expect(authentication.token).toBe('token-2');
		// The service may still repeat the old one in a message
		expect(authentication.secrets()).toEqual([SECRET_KEY, 'token-2', 'token-1']);
	});

	it.each([-102, -101, -120, -3])('keeps it after %d', async (code) => {
		const { authentication } = authenticationWith('token');
		await authentication.prepare();
		expect(authentication.renew(refusal(code))).toBe(false);
		expect(authentication.token).toBe('token-1');
	});

	it('has none to give up before it had one', () => {
		expect(authenticationWith('token').authentication.renew(refusal(-107))).toBe(false);
	});
});

describe('with a key pair that the service handed out', () => {
	it.each<[SignType, number]>([
		['hmacsha1', -102],
		['hmacsha1', -104],
		['token', -102],
		['token', -104],
	])('takes the present one (%s, %d)', async (signType, code) => {
		const { authentication, credential } = authenticationWith(signType, changedPair);
		await authentication.prepare();
		expect(authentication.renew(refusal(code))).toBe(true);
		await authentication.prepare();
		expect(authentication.credential).toEqual({ ...credential, ...NEW_PAIR });
		expect(authentication.secrets()[0]).toBe('new-key');
	});

	it('fetches the token with the new one', async () => {
		const { authentication, credential, tokensOf } = authenticationWith('token', changedPair);
		await authentication.prepare();
		authentication.renew(refusal(-104));
		await authentication.prepare();
		expect(tokensOf).toEqual([credential.secretId, 'new-id']);
	});

	it('takes the present one when the token endpoint calls the old one wrong', async () => {
		const { authentication } = authenticationWith('token', changedPair);
		expect(authentication.renew(refusal(-2, GET_SECRET_TOKEN))).toBe(true);
		await authentication.prepare();
		expect(authentication.credential).toMatchObject(NEW_PAIR);
	});

	it('keeps the old one where a new one cannot help', async () => {
		const { authentication, credential } = authenticationWith('hmacsha1', () => undefined);
		expect(authentication.renew(refusal(-102))).toBe(false);
		await authentication.prepare();
		expect(authentication.credential).toBe(credential);
	});

	it.each([-2, -107, -120])('is not changed for %d of another endpoint', (code) => {
		const { authentication } = authenticationWith('hmacsha1', changedPair);
		expect(authentication.renew(refusal(code))).toBe(false);
	});

	it('fails as the fetching fails, and tries again the next time', async () => {
		let count = 0;
		const { authentication } = authenticationWith('hmacsha1', () => async () => {
			if (count++ === 0) return await Promise.reject<KeyPair>(new Error('no answer'));
			return await Promise.resolve(NEW_PAIR);
		});
		authentication.renew(refusal(-104));
		await expect(authentication.prepare()).rejects.toThrow('no answer');
		await authentication.prepare();
		expect(authentication.credential).toMatchObject(NEW_PAIR);
	});
});
