import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { create, ORDERS, startShop, type OrderName } from '../ordering.mts';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

export async function codeOf(parameters: Parameters): Promise<number> {
	return (await create(sandbox, parameters)).code;
}

/** The code of each, and that money was taken for exactly those with code 0. */
export async function codesOf(many: Parameters[]): Promise<number[]> {
	const codes: number[] = [];
	for (const parameters of many) codes.push(await codeOf(parameters));
	expect(sandbox.ledger.count()).toBe(codes.filter((code) => code === 0).length);
	return codes;
}

export const NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS);
