import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import type { Fault, SandboxOptions } from '../../../sandbox/sandbox.mts';
import { TestBed, useTestBed } from '../support/testBed.mts';
import { account, bed, order, PROBES, SIGN_TYPES, test } from './testedCredential.mts';

async function withFaults(
	...faults: readonly Fault[]
): Promise<INodeCredentialTestResult & { requests: number }> {
	const other = await TestBed.start();
	for (const fault of faults) other.sandbox.faults.add({ path: PROBES[0], ...fault });
	const result = await test(other.newAccount().keys, account, other);
	const requests = other.sandbox.log.count(PROBES[0]);
	await other.close();
	return { ...result, requests };
}

describe('the wrong kind of key pair', () => {
	const ofWrongKeyCode = (wrongKeyCode: NonNullable<SandboxOptions['wrongKeyCode']>) => {
		const other = useTestBed({ wrongKeyCode });
		it.each(SIGN_TYPES)(
			'is told for an order key called an account key, with sign type %s',
			async (signType) => {
				const { keys } = other().newOrder();
				const { status, message } = await test(keys, { ...account, signType }, other());
				expect(status).toBe('Error');
				expect(message).toMatch(/belongs to an order.*Set 'Key Type' to 'Order'/);
			},
		);

		it.each(SIGN_TYPES)(
			'is told for an account key called an order key, with sign type %s',
			async (signType) => {
				const { keys } = other().newAccount();
				const { status, message } = await test(keys, { ...order, signType }, other());
				expect(status).toBe('Error');
				expect(message).toMatch(/belongs to the account.*Set 'Key Type' to 'Account'/);
			},
		);
	};

	describe('by the common code', () => ofWrongKeyCode('common'));
	describe("by the endpoint's own code", () => ofWrongKeyCode('endpoint'));
});

describe('a credential that cannot be used', () => {
	it.each<[name: string, changes: ICredentialDataDecryptedObject, words: string]>([
		['an empty Secret ID', { secretId: '' }, "'Secret ID' in the credential is empty"],
		['an empty Secret Key', { secretKey: ' ' }, "'Secret Key' in the credential is empty"],
		[
			'a host with a path',
			{ baseUrl: 'https://dev.kdlapi.com/api' },
			"'Base URL' in the credential",
		],
		['a host that is no address', { authUrl: 'auth' }, "'Token URL' in the credential"],
		[
			'plain http to another machine',
			{ baseUrl: 'http://example.com' },
			'must begin with https://',
		],
	])('because of %s is told before anything is sent', async (_name, changes, words) => {
		const { keys } = bed().newAccount();
		const { status, message } = await bed().engine.testCredential(
			bed().credentialData(keys, changes),
		);
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('because nothing is filled in is told', async () => {
		expect(await bed().engine.testCredential({})).toMatchObject({ status: 'Error' });
	});
});

describe('what has to be waited for', () => {
	it.each([
		['behind', 3600],
		['ahead', -1800],
	])(
		'a clock that is %s is no verdict: the service says what time it is',
		async (_name, seconds) => {
			const { status, requests } = await withFaults({ kind: 'clockOffset', seconds });
			expect(status).toBe('OK');
			expect(requests).toBe(2);
		},
	);

	it.each([
		['behind', 3600, /The clock of this machine is (1 hour|59 minutes 5\d seconds) behind/],
		[
			'ahead',
			-1800,
			/The clock of this machine is (30 minutes|29 minutes 5\d seconds)( \d second)? ahead/,
		],
	])('a clock that stays %s is told with how far', async (_name, seconds, words) => {
		const { status, message, requests } = await withFaults(
			{ kind: 'dateOffset', seconds },
			{ kind: 'code', code: -112 },
		);
		expect(status).toBe('Error');
		expect(message).toMatch(words);
		expect(message).toMatch(/Correct the clock/);
		expect(requests).toBe(2);
	});

	it('an answer that says "too fast" is not the verdict', async () => {
		const { status, requests } = await withFaults({ kind: 'code', code: -120, times: 1 });
		expect(status).toBe('OK');
		expect(requests).toBe(2);
	});

	it('a service that never answers is given up', async () => {
		const { status, message } = await withFaults({ kind: 'hang' });
		expect(status).toBe('Error');
		expect(message).toMatch(/did not answer within 15 seconds/);
	}, 25_000);
});
