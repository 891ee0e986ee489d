import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

describe('a credential', () => {
	it.each<[problem: string, changes: ICredentialDataDecryptedObject, description: string]>([
		['an empty Secret ID', { secretId: '  ' }, "'Secret ID' in the credential is empty."],
		['an empty Secret Key', { secretKey: '' }, "'Secret Key' in the credential is empty."],
		[
			'an unknown Sign Type',
			{ signType: 'simple' },
			"'Sign Type' in the credential must be one of: hmacsha1, token.",
		],
		[
			'an unknown Key Type',
			{ keyType: 'team' },
			"'Key Type' in the credential must be one of: account, order.",
		],
		['an empty host', { svipUrl: '' }, "'SVIP URL' in the credential is empty."],
		[
			'a host that is no address',
			{ svipUrl: 'svip' },
			"'SVIP URL' in the credential is not a web address.",
		],
		[
			'a host with a path',
			{ svipUrl: 'https://svip.kdlapi.com/api' },
			"'SVIP URL' in the credential cannot be used: it must not contain a path, a query or a fragment.",
		],
		[
			'a host with a query',
			{ baseUrl: 'https://dev.kdlapi.com/?a=1' },
			"'Base URL' in the credential cannot be used: it must not contain a path, a query or a fragment.",
		],
		[
			'a host with a password',
			{ authUrl: 'https://me:pass@auth.kdlapi.com' },
			"'Token URL' in the credential cannot be used: it must not contain a user name or password.",
		],
		[
			'plain http to another machine',
			{ dpsUrl: 'http://dps.kdlapi.com' },
			"'Private Proxy URL' in the credential cannot be used: it must begin with https://",
		],
		['another scheme', { svipUrl: 'ftp://127.0.0.1' }, 'it must begin with https://'],
	])('with %s is refused before anything is sent', async (_problem, credential, description) => {
		const { error, status } = await bed().extract({ credential });
		expect(status).toBe('error');
		expect(error?.message).toBe('The credential cannot be used [item 0]');
		expect(error?.description).toContain(description);
		expect(error?.description).not.toContain('pass@');
		expect(bed().extractions).toEqual([]);
	});

	it("with the account's key pair is refused before anything is sent", async () => {
		const { error } = await bed().extract({ credential: { keyType: 'account' } });
		expect(error?.message).toBe("'Order' is empty [item 0]");
		expect(error?.description).toMatch(/Choose an order from the list, or enter its number/);
		expect(bed().extractions).toEqual([]);
	});
});
