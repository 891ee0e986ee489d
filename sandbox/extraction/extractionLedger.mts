import type { Order } from '../accounts/order.mts';
import type { Call } from '../calls/call.mts';
import type { Clock } from '../time/clock.mts';

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
