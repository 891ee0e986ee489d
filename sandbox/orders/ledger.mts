import type { Account } from '../accounts/account.mts';
import type { Order } from '../accounts/order.mts';
import type { Call } from '../http/call.mts';
import type { Clock } from '../time/clock.mts';

export type PaymentKind = 'create' | 'renew';

/** Money that was taken, whether or not the answer arrived. */
export interface Payment {
	/** The number of the request that caused it, in the log. */
	request: number;
	/** By the clock of the sandbox. */
	time: Date;
	kind: PaymentKind;
	orderId: string;
	amountInFen: number;
	/** What was left. */
	balanceInFen: number;
	/** Of that request; a call with a token may have no nonce. */
	secretId: string;
	nonce: string | undefined;
}

/** The only place that takes money from a balance. It writes down what it takes in the same step. */
export class Ledger {
	private readonly payments: Payment[] = [];

	constructor(private readonly clock: Clock) {}

	/** False, and nothing happened, when the balance is too low. */
	take(
		account: Account,
		payment: Pick<Payment, 'kind' | 'orderId' | 'amountInFen'>,
		{ number: request, parameters }: Call,
	): boolean {
		if (account.balanceInFen < payment.amountInFen) return false;
		account.balanceInFen -= payment.amountInFen;
		account.spentInFen += payment.amountInFen;
		this.payments.push({
			request,
			time: this.clock.now(),
			...payment,
			balanceInFen: account.balanceInFen,
			secretId: parameters.get('secret_id') ?? '',
			nonce: parameters.get('nonce'),
		});
		return true;
	}

	/** Oldest first; of one kind, or of both. */
	entries(kind?: PaymentKind): readonly Payment[] {
		return this.payments.filter((payment) => kind === undefined || payment.kind === kind);
	}

	count(kind?: PaymentKind): number {
		return this.entries(kind).length;
	}

	/** In fen. */
	total(kind?: PaymentKind): number {
		return this.entries(kind).reduce((sum, { amountInFen }) => sum + amountInFen, 0);
	}

	/** Forgets what was written down; balances stay as they are. */
	clear(): void {
		this.payments.length = 0;
	}
}

/** What one call handed out, whether or not the answer arrived. */
export interface Extraction {
	/** The number of the request that caused it, in the log. */
	request: number;
	orderId: string;
	product: Order['product'];
	/** How many proxies. */
	count: number;
	/** How many of them came out of what the order has: all of private ones, else none. */
	usedUp: number;
}

/** Writes down every extraction, in the step that hands the proxies out. */
export class ExtractionLedger {
	private readonly extractions: Extraction[] = [];

	record(
		{ orderId, product }: Order,
		{ count, usedUp = 0 }: { count: number; usedUp?: number },
		{ number: request }: Call,
	): void {
		this.extractions.push({ request, orderId, product, count, usedUp });
	}

	/** Of one order or of all, the oldest first. */
	entries({ orderId }: { orderId?: string } = {}): readonly Extraction[] {
		return this.extractions.filter((each) => (orderId ?? each.orderId) === each.orderId);
	}

	/** Of proxies. */
	total(filter?: { orderId?: string }): number {
		return this.entries(filter).reduce((sum, { count }) => sum + count, 0);
	}
}
