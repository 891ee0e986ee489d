import type { KeyPair, Order, Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { ask, create, orderOf, ORDERS, RENEW, startShop, type OrderName } from '../ordering.mts';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await sandbox.close();
});

export const BY_DAY = { time_type: 'DAY', time_number: '1' };

export const renew = (keys: KeyPair, parameters: Parameters) =>
	ask(sandbox, RENEW, keys, parameters);

export async function ordered(name: OrderName, extra: Parameters = {}): Promise<Order> {
	return orderOf(sandbox, await create(sandbox, { ...ORDERS[name], ...extra }));
}

/** The code of each renewal, each of an order as it was, and that money was taken for code 0 only. */
export async function codesOf(order: Order, many: Parameters[]): Promise<number[]> {
	const { expiresAt } = order;
	const before = sandbox.ledger.count('renew');
	const codes: number[] = [];
	for (const parameters of many) {
		codes.push((await renew(order.keys, parameters)).code);
		order.expiresAt = expiresAt;
	}
	expect(sandbox.ledger.count('renew') - before).toBe(codes.filter((code) => code === 0).length);
	return codes;
}
