import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import type { KeyPair } from '../../../sandbox/sandbox.mts';
import { TestBed, useTestBed } from '../support/testBed.mts';

export const SIGN_TYPES = ['hmacsha1', 'token'] as const;
export const PROBES = ['/api/getaccountbalance', '/api/getorderexpiretime'];

export const bed = useTestBed();

/** Whatever else it says: no key and no token, in no form in which they are sent. */
function expectNoSecret({ message }: INodeCredentialTestResult, { secretKey }: KeyPair): void {
	expect(message).not.toContain(secretKey);
	expect(message).not.toContain(encodeURIComponent(secretKey));
	expect(message).not.toMatch(/signature=(?!\[hidden\])/);
}

export async function test(
	keys: KeyPair,
	changes: ICredentialDataDecryptedObject = {},
	on: TestBed = bed(),
): Promise<INodeCredentialTestResult> {
	const result = await on.engine.testCredential(on.credentialData(keys, changes));
	expectNoSecret(result, keys);
	return result;
}

export const account = { keyType: 'account' };
export const order = { keyType: 'order' };
