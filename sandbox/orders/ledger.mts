import type { Account } from '../accounts/account.mts';
import type { Call } from '../calls/call.mts';
import type { Clock } from '../time/clock.mts';

export type PaymentKind = 'create' | 'renew';

/** Money that was taken, whether or not the answer arrived. */
export interface Payment {
	/** By the clock of the sandbox. */
	time: Date;
	kind: PaymentKind;
	orderId: string;
	amountInFen: number;
	/** Of the request that caused it; a call with a token may have no nonce. */
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
		{ parameters }: Call,
	): boolean {
		if (account.balanceInFen < payment.amountInFen) return false;
		account.balanceInFen -= payment.amountInFen;
		account.spentInFen += payment.amountInFen;
		this.payments.push({
			time: this.clock.now(),
			...payment,
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
