import { newAccount, type Account, type Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { ask, field, startShop } from '../ordering.mts';

export const LIST = '/api/getaccountorders';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

/** An account that has nothing but what a test gives it. */
export function accountOfItsOwn(): Account {
	return sandbox.store.addAccount(newAccount('own', { balanceInFen: 1000_00 }));
}

export async function list(account: Account, parameters: Parameters = {}) {
	const reply = await ask(sandbox, LIST, account.keys, parameters);
	expect(reply).toMatchObject({ code: 0, msg: '' });
	if (!Array.isArray(reply.data)) throw new Error('It is no list');
	const entries: unknown[] = reply.data;
	return entries;
}

export async function numbers(account: Account, parameters: Parameters = {}): Promise<string[]> {
	return (await list(account, parameters)).map((entry) => field(entry, 'orderid'));
}
