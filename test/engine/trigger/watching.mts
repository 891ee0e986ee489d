import type { IDataObject } from 'n8n-workflow';

import { type Account, newDedicatedProxyOrder, type Order } from '../../../sandbox/sandbox.mts';
import { MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { moveDate } from '../../virtualTime.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { type Polled, Poller } from '../support/poller.mts';
import { useProcessClock } from '../support/processClock.mts';
import { useWorkbench } from '../support/workbench.mts';

export const LIST = '/api/getaccountorders';

export const { bed } = useWorkbench({ rateLimits: false });
const processClock = useProcessClock();

export const warn = jest.spyOn(n8nLogger, 'warn').mockImplementation(() => undefined);

beforeEach(() => {
	warn.mockClear();
});

export function logged(): string[] {
	return warn.mock.calls.map(([message]) => message);
}

/** Time passes, for the service and for the node. */
export function pass(milliseconds: number): void {
	moveDate(milliseconds);
	processClock.advance(milliseconds);
}

type Keys = Pick<Account, 'keys'>;

/** A workflow that is not active yet. */
export function watching(
	keyType: 'account' | 'order',
	{ keys }: Keys,
	parameters: IDataObject,
	changes: Record<string, string> = {},
): Poller {
	const credentialId = bed().addCredential(keys, { keyType, ...changes });
	return new Poller(bed().engine, { parameters, credentialId });
}

/** The next poll, one minute later. */
export async function nextPoll(poller: Poller): Promise<Polled> {
	pass(MINUTE);
	return await poller.poll();
}

export function jsonOf(polled: Polled): IDataObject[] {
	return (polled ?? []).map(({ json }) => json);
}

export function orderIds(polled: Polled): unknown[] {
	return jsonOf(polled).map(({ orderid }) => orderid);
}

export type Make = (
	name: string,
	account: Account,
	now: Date,
	settings: { expiresAt: Date },
) => Order;

/** In force; it ends after that time. */
export function orderFor(
	account: Account,
	leftMs: number,
	make: Make = newDedicatedProxyOrder,
): Order {
	const { store, clock } = bed().sandbox;
	const expiresAt = new Date(clock.milliseconds() + leftMs);
	return store.addOrder(make(uniqueName('order'), account, clock.now(), { expiresAt }));
}

export function prolong(order: Order, milliseconds: number): void {
	if (order.expiresAt === undefined) throw new Error('The order does not end');
	const from = Math.max(order.expiresAt.getTime(), bed().sandbox.clock.milliseconds());
	order.expiresAt = new Date(from + milliseconds);
}

export async function failureOf(
	work: Promise<unknown>,
): Promise<{ message: string; description: string }> {
	try {
		await work;
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		const description: unknown = Reflect.get(error, 'description');
		return { message: error.message, description: String(description) };
	}
	throw new Error('It went well');
}

/** Each order once; what reminds of it is tried by itself. */
export const EXPIRING = { event: 'orderExpiring', remindEvery: 0 };
export const EXPIRED = { event: 'orderExpired' };
export const BALANCE_BELOW = { event: 'accountBalanceBelow', balanceBelow: 100 };
export const IPS_BELOW = { event: 'ipBalanceBelow', ipBalanceBelow: 50 };
