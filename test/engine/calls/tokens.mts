import type { KeyPair } from '../../../sandbox/sandbox.mts';
import { TOKENS, type TestBed } from '../support/testBed.mts';

export function tokenCredential(bed: TestBed, keys: KeyPair): string {
	return bed.addCredential(keys, { signType: 'token' });
}

export function fetches(bed: TestBed): number {
	return bed.sandbox.log.count(TOKENS);
}

/** The tokens that were sent, oldest first. */
export function sentTokens(bed: TestBed): string[] {
	return bed.extractions.map(({ parameters }) => parameters.signature);
}

export function codes(bed: TestBed) {
	return bed.extractions.map(({ code }) => code);
}
