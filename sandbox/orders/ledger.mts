import type { Account } from '../accounts/account.mts';
import type { Order } from '../accounts/order.mts';
import type { Call } from '../http/call.mts';
import type { Clock } from '../time/clock.mts';

export type PaymentKind = 'create' | 'renew';

/** Money that was taken, whether or not the answer arrived. */
export interface Payment {
	/** 1 for the first payment of the sandbox's life, also after the ledger was cleared. */
	number: number;
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
	private paymentsSoFar = 0;

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
		this.paymentsSoFar += 1;
		this.payments.push({
			number: this.paymentsSoFar,
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
	/** By the clock of the sandbox. */
	time: Date;
	path: string;
	orderId: string;
	product: Order['product'];
	/** How many proxies. */
	count: number;
	/** How many of them came out of what the order has: all of private ones, else none. */
	usedUp: number;
	/** Of that request. */
	secretId: string;
}

/** Which extractions; without a name of it, all. */
export interface ExtractionFilter {
	path?: string;
	orderId?: string;
}

/** Writes down every extraction, in the step that hands the proxies out. */
export class ExtractionLedger {
	private readonly extractions: Extraction[] = [];

	constructor(private readonly clock: Clock) {}

	record(
		{ orderId, product }: Order,
		{ count, usedUp = 0 }: { count: number; usedUp?: number },
		{ number: request, path, parameters }: Call,
	): void {
		this.extractions.push({
			request,
			time: this.clock.now(),
			path,
			orderId,
			product,
			count,
			usedUp,
			secretId: parameters.get('secret_id') ?? '',
		});
	}

	/** Oldest first. */
	entries({ path, orderId }: ExtractionFilter = {}): readonly Extraction[] {
		return this.extractions.filter(
			(each) => (path ?? each.path) === each.path && (orderId ?? each.orderId) === each.orderId,
		);
	}

	/** Of calls. */
	count(filter?: ExtractionFilter): number {
		return this.entries(filter).length;
	}

	/** Of proxies. */
	total(filter?: ExtractionFilter): number {
		return this.entries(filter).reduce((sum, { count }) => sum + count, 0);
	}

	/** Forgets what was written down; what orders have left stays as it is. */
	clear(): void {
		this.extractions.length = 0;
	}
}
