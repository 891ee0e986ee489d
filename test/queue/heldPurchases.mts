import { setTimeout as sleep } from 'node:timers/promises';
import { newCustomer, type Customer } from './customer.mts';
import { CREATE, RENEW_IF_EXPIRING } from './operations.mts';
import type { QueueSession } from './session.mts';
import { serveWebhook, type Webhook } from './webhook.mts';

const ARRIVAL_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** A purchase whose answer takes so long that something can happen to the worker meanwhile. */
export interface HeldPurchase {
	readonly name: string;
	readonly path: string;
	/** Whether the money is taken at the beginning of the time or at its end. */
	readonly moneyTaken: 'first' | 'last';
	readonly customer: Customer;
	readonly orderid: string | undefined;
	readonly webhook: Webhook;
}

/** An order and a renewal, each with the money taken before and after the long wait. */
export async function prepareHeldPurchases(
	session: QueueSession,
	title: string,
): Promise<readonly HeldPurchase[]> {
	const purchases: HeldPurchase[] = [];
	for (const [kind, path, parameters] of [
		['order', '/api/createorder', CREATE],
		['renewal', '/api/reneworder', RENEW_IF_EXPIRING],
	] as const) {
		for (const moneyTaken of ['first', 'last'] as const) {
			const customer = await newCustomer(session, 1);
			const name = `${kind}, money taken ${moneyTaken}`;
			purchases.push({
				name,
				path,
				moneyTaken,
				customer,
				orderid: kind === 'renewal' ? customer.tunnels[0]?.orderId : undefined,
				webhook: await serveWebhook(session, `${title} ${name}`, parameters, customer.credential),
			});
		}
	}
	return purchases;
}

/**
 * Calls the workflow and waits until the purchase has arrived at the service.
 *
 * @returns what the caller of the webhook gets in the end
 */
export async function buyAndHold(
	{ sandbox }: QueueSession,
	{ path, moneyTaken, orderid, webhook }: HeldPurchase,
	holdMs: number,
): Promise<{ readonly answer: ReturnType<Webhook['call']> }> {
	const before = sandbox.log.count(path);
	const when = moneyTaken === 'first' ? 'after' : 'before';
	sandbox.faults.add({ kind: 'delay', ms: holdMs, when, path, times: 1 });
	const answer = webhook.call({ orderid });
	// Whoever waits for it may come later than it fails
	answer.catch(() => undefined);
	const giveUpAt = Date.now() + ARRIVAL_LIMIT_MS;
	while (sandbox.log.count(path) === before) {
		if (Date.now() > giveUpAt) throw new Error(`No request to ${path} arrived`);
		await sleep(LOOK_EVERY_MS);
	}
	return { answer };
}

/** What the service took for a purchase, and how often it was asked to. */
export function seenByService(
	{ sandbox }: QueueSession,
	{ path, customer }: Pick<HeldPurchase, 'path' | 'customer'>,
): { readonly payments: number; readonly requests: number } {
	const keys = [customer.account, ...customer.tunnels].map((owner) => owner.keys.secretId);
	const isOurs = (secretId: string | undefined) =>
		secretId !== undefined && keys.includes(secretId);
	return {
		payments: sandbox.ledger.entries().filter(({ secretId }) => isOurs(secretId)).length,
		requests: sandbox.log.entries(path).filter(({ parameters }) => isOurs(parameters.secret_id))
			.length,
	};
}
