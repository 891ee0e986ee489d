import type { IDataObject } from 'n8n-workflow';

import type { FlatParameters } from '../../shared/credential/signature';
import type { Endpoint } from '../../shared/service/endpoint';
import type { RunQuery, ServiceAnswer } from '../../shared/service/query';
import type { CallError } from '../../shared/transport/callErrors';

/** What a purchase is, in words. */
export interface PurchaseWords {
	/** Such as "The order may have been placed". */
	readonly unclear: string;
	/** What was sent, such as "Tunnel Proxy (TPS), Prepaid". */
	readonly what: string;
	/** Where to look, in whole sentences. */
	readonly howToFindOut: string;
	/** What to conclude if nothing is found there. */
	readonly otherwise: string;
}

/** The result of a purchase: its output, and its name in lists of purchases. */
export interface Bought {
	readonly record: IDataObject;
	readonly label: string;
}

/** What two looks at the service show of a purchase that was sent between them. The text is a whole sentence. */
export type Finding =
	/** The purchase was made: nothing else can have had this effect. */
	| { readonly state: 'made'; readonly text: string; bought(orderid: string | undefined): Bought }
	/** Nothing has changed. */
	| { readonly state: 'notMade'; readonly text: string }
	/** Something has changed, but the cause is unknown. */
	| { readonly state: 'unclear'; readonly text: string };

/**
 * One call that spends money, after everything that can be checked locally has been checked. `Seen` is what
 * a look shows of the thing that the purchase changes.
 */
export interface Purchase<Seen = unknown> {
	readonly endpoint: Endpoint;
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/** The order to renew, where the account's key pair is used. */
	readonly orderid?: string;
	/**
	 * When that order ends, in milliseconds since 1970, where the item says so. The soonest is bought
	 * first.
	 */
	readonly endsAt?: number;
	/**
	 * Reads what has to be known beforehand, with the key pair of the credential.
	 *
	 * @returns the output where nothing has to be bought
	 * @throws CallError and InvalidFieldError; nothing was bought then
	 */
	prepare?(ask: RunQuery): Promise<IDataObject | undefined>;
	/**
	 * Reads the current state, right before each request and after an answer that leaves the purchase
	 * unclear.
	 *
	 * @param ask with the key pair that buys
	 * @returns undefined where the service does not tell and the purchase can do without
	 * @throws CallError
	 */
	look(ask: RunQuery): Promise<Seen | undefined>;
	/**
	 * The output if nothing has to be bought. Absent where it is bought in any case.
	 *
	 * @throws DescribedError where it cannot be told
	 */
	insteadOfBuying?(seen: Seen): IDataObject | undefined;
	/**
	 * Says in better words why nothing was bought.
	 *
	 * @param ask with the key pair that buys
	 */
	explain?(failure: CallError, ask: RunQuery): Promise<CallError>;
	/** @param mayBeAnothers whether another purchase of this process can have had the same effect */
	compare(before: Seen, after: Seen, mayBeAnothers: boolean): Finding;
	/**
	 * What more has changed than one purchase explains, as a whole sentence; undefined where that is nothing.
	 *
	 * @param record the output of the purchase, which was made between the two looks
	 */
	excess(before: Seen, after: Seen, record: IDataObject): string | undefined;
	/** How long the effect may take to show, in milliseconds; 0 where one look is enough. */
	readonly showsWithinMs: number;
	/** @throws InvalidResponseError when the answer lacks what it must have */
	read(answer: ServiceAnswer): Bought;
}
