import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import {
	newAccount,
	startSandbox,
	type Account,
	type KeyPair,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { Engine, type RunSettings } from '../support/engine.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';

export let sandbox: Sandbox;
export const engine = new Engine();

jest.setTimeout(20_000);

beforeAll(async () => {
	sandbox = await startSandbox({ seed: 1, catalogueSize: 1, forwardProxies: false });
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.faults.clear();
	sandbox.settings.orderNumbers = '15 digits';
});

/** An account of its own for each test, so that none waits for the pace of another. */
export function newRichAccount(settings: Partial<Account> = {}): Account {
	return sandbox.store.addAccount(
		newAccount(uniqueName('purchases'), { balanceInFen: 1_000_000_00, ...settings }),
	);
}

export function credentialFor(keys: KeyPair, keyType: 'account' | 'order'): string {
	return engine.addCredential(credentialData(sandbox.hosts, keys, keyType));
}

export async function buy(account: Account, settings: Partial<RunSettings> = {}) {
	const result = await engine.run({
		credentialId: credentialFor(account.keys, 'account'),
		parameters: NEW_TUNNEL,
		...settings,
	});
	const own = ({ secretId }: { secretId: string }) => secretId === account.keys.secretId;
	const requests = sandbox.log
		.entries()
		.filter(({ parameters }) => parameters.secret_id === account.keys.secretId);
	return {
		result,
		payments: sandbox.ledger.entries().filter(own),
		requests,
		/** Those that buy. */
		orders: requests.filter(({ path }) => path === '/api/createorder'),
	};
}

export const items = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_none, n) => ({ n }));

export function paidBy({ keys }: Account): number {
	return sandbox.ledger.entries().filter(({ secretId }) => secretId === keys.secretId).length;
}
