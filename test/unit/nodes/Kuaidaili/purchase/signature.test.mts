import { signatureOnce, windowLeftMs } from '../../../../../nodes/Kuaidaili/purchase/signature.ts';
import { signRequest, stampAt } from '../../../../../nodes/shared/api/sign.ts';
import { credentialWith } from '../../../support/credential.mts';
import { serviceView } from '../../../support/serviceView.mts';

const ORIGIN = 'https://clock.invalid';
const NOW = 1_795_838_400_999;

describe('a request that several processes may send', () => {
	const credential = credentialWith({});
	const query = (now: number, seed: string, signedAt: number) => {
		const request = { url: 'https://dev.kdlapi.com/api/createorder', qs: { num: '5' } };
		const stamp = stampAt(signedAt, seed);
		return serviceView(signRequest(credential, request, now, undefined, stamp)).all;
	};

	it('is signed alike at every moment, and in another way with another seed or in another window', () => {
		const first = query(NOW, 'a', NOW - 9999);
		expect(query(NOW + 12_000, 'a', NOW - 9999)).toEqual(first);
		expect(first.get('timestamp')).toBe(String(Math.floor((NOW - 9999) / 1000)));
		expect(Number(first.get('nonce'))).toBeGreaterThan(0);
		for (const other of [query(NOW, 'b', NOW - 9999), query(NOW, 'a', NOW + 1)]) {
			expect(other.get('nonce')).not.toBe(first.get('nonce'));
			expect(other.get('signature')).not.toBe(first.get('signature'));
		}
	});

	it.each([0, 1, 1999, 9999])('is in a window of ten seconds, %d ms after it began', (ageMs) => {
		const signedAt = 1_795_838_400_000;
		const sign = (seed: string, ms: number) => signatureOnce(ORIGIN, seed, signedAt + ms);
		expect(windowLeftMs(ORIGIN, signedAt + ageMs)).toBe(10_000 - ageMs);
		const seed = `of ${ageMs}`;
		sign(seed, ageMs)?.giveBack();
		const stamp = stampAt(signedAt, seed);
		expect(sign(seed, ageMs)).toMatchObject({ seed, signedAt, stamp });
		expect(sign(`another ${seed}`, ageMs)).toBeDefined();
		expect(sign(seed, 9999)).toBeUndefined();
		expect(sign(seed, 10_000)).toMatchObject({ seed, signedAt: signedAt + 10_000 });
	});
});
