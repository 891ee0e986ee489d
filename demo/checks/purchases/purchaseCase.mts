import type { Fault } from '../../../sandbox/sandbox.mts';
import type { NodeSettings } from '../../../harness/realN8n/trialWorkflow.mts';

/** An operation that spends money. */
export interface SpendingOperation {
	readonly name: 'create' | 'renew';
	readonly path: string;
	readonly keyType: 'account' | 'order';
	readonly parameters: Readonly<Record<string, unknown>>;
	/** How the message about an unclear outcome begins. */
	readonly unclear: string;
	/** What tells where to find out. */
	readonly whereToLook: RegExp;
	/** What the warning of a second payment says first. */
	readonly duplicateWarning: RegExp;
}

export const ORDER_CREATE: SpendingOperation = {
	name: 'create',
	path: '/api/createorder',
	keyType: 'account',
	parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', prepayTimeNumber: 1 },
	unclear: 'The order may have been placed: ',
	whereToLook: /Order: Get Many.*order list/,
	duplicateWarning: /^The order list has another new order of the same product and pay type: \d+\./,
};

export const ORDER_RENEW: SpendingOperation = {
	name: 'renew',
	path: '/api/reneworder',
	keyType: 'order',
	parameters: { renewWhen: 'always', renewalOf: 'prepaid', timeType: 'DAY', timeNumber: 1 },
	unclear: 'The order may have been renewed: ',
	whereToLook: /expiry time.*Order: Get/,
	duplicateWarning:
		/^The order was to end at .* and now ends at .*, later than after one renewal\./,
};

/** Something that goes wrong with one request, or with all of a run, and what has to come of it. */
export interface Trouble {
	readonly name: string;
	/** What strikes together; the first one gives the trouble its name. */
	readonly faults: readonly [Fault, ...Fault[]];
	/** Whether every item is in trouble, and not only one. */
	readonly always?: true;
	/** How often an item in trouble is paid. */
	readonly paid: 0 | 1 | 2;
	/**
	 * What the node says of it; 'verified' when it found out by itself that it was bought, 'duplicated' when it
	 * found out that it was bought twice.
	 */
	readonly outcome: 'unclear' | 'verified' | 'success' | 'duplicated';
	/** How many requests an item in trouble makes; what a gateway repeats is none of the node's. */
	readonly requests: number;
	readonly signType: 'hmacsha1' | 'token';
}

/** The request was lost, or seems to be: its state is unknown. */
function unclear(name: string, fault: Fault): Trouble {
	return { name, faults: [fault], paid: 0, outcome: 'unclear', requests: 1, signType: 'hmacsha1' };
}

/** The answer was lost, and the node finds the purchase afterwards. */
function verified(name: string, fault: Fault): Trouble {
	return { name, faults: [fault], paid: 1, outcome: 'verified', requests: 1, signType: 'hmacsha1' };
}

/** A refusal which proves that nothing was done, so that the request is repeated. */
function repeated(code: number, signType: Trouble['signType'] = 'hmacsha1'): Trouble {
	return {
		name: signType === 'token' ? `code ${code}, with a token` : `code ${code}`,
		faults: [{ kind: 'code', code }],
		paid: 1,
		outcome: 'success',
		requests: 2,
		signType,
	};
}

type Twice = Extract<Fault, { kind: 'twice' }>;

/**
 * A proxy or gateway on the way delivers a request twice. Signed, the second one is refused as a replay; a
 * token has no such protection, so that the service sells twice what the node has sent once.
 */
function twice(
	signType: Trouble['signType'],
	name: string,
	expected: Pick<Trouble, 'outcome' | 'paid'>,
	{
		also = [],
		always,
		...twiceFault
	}: Partial<Twice> & Pick<Trouble, 'always'> & { also?: Fault[] },
): Trouble {
	const sign = signType === 'token' ? ', with a token' : '';
	return {
		name: `delivered twice${always ? ', always' : ''}, ${name}${sign}`,
		faults: [{ kind: 'twice', ...twiceFault }, ...also],
		always,
		...expected,
		requests: 1,
		signType,
	};
}

const BOTH_LOST: Fault[] = [
	{ kind: 'cut', when: 'after' },
	{ kind: 'cut', when: 'after' },
];

const FOUND = { outcome: 'verified', paid: 1 } as const;
const BOUGHT = { outcome: 'success', paid: 1 } as const;
const DUPLICATED = { outcome: 'duplicated', paid: 2 } as const;
const BOUGHT_TWICE = { outcome: 'unclear', paid: 2 } as const;

const DELIVERED_TWICE: readonly Trouble[] = [
	twice('hmacsha1', 'first answer', BOUGHT, { answer: 'first' }),
	twice('hmacsha1', 'second answer', FOUND, { answer: 'last' }),
	twice('hmacsha1', 'first one cut before the work', BOUGHT, { cutFirst: 'before' }),
	twice('hmacsha1', 'first answer lost', FOUND, { cutFirst: 'after' }),
	twice('hmacsha1', 'both answers lost', FOUND, { also: BOTH_LOST }),
	twice('hmacsha1', 'first answer', BOUGHT, { answer: 'first', always: true }),
	twice('hmacsha1', 'second answer', FOUND, { answer: 'last', always: true }),
	twice('token', 'first answer', DUPLICATED, { answer: 'first' }),
	twice('token', 'second answer', DUPLICATED, { answer: 'last' }),
	twice('token', 'first one cut before the work', BOUGHT, { cutFirst: 'before' }),
	twice('token', 'first answer lost', DUPLICATED, { cutFirst: 'after' }),
	twice('token', 'both answers lost', BOUGHT_TWICE, { also: BOTH_LOST }),
	twice('token', 'first answer', DUPLICATED, { answer: 'first', always: true }),
	twice('token', 'second answer', DUPLICATED, { answer: 'last', always: true }),
];

/** Where there are two of a kind, the first strikes before the money is taken, the second after. */
export const TROUBLES: readonly Trouble[] = [
	unclear('connection cut before the work', { kind: 'cut', when: 'before' }),
	verified('connection cut after the work', { kind: 'cut', when: 'after' }),
	unclear('connection reset before the work', { kind: 'cut', how: 'reset', when: 'before' }),
	verified('connection reset after the work', { kind: 'cut', how: 'reset', when: 'after' }),
	unclear('no answer in time, before the work', { kind: 'hang', when: 'before' }),
	verified('no answer in time, after the work', { kind: 'hang', when: 'after' }),
	unclear('status 502 before the work', { kind: 'status', status: 502, when: 'before' }),
	verified('status 502 after the work', { kind: 'status', status: 502, when: 'after' }),
	verified('status 503 after the work', { kind: 'status', status: 503, when: 'after' }),
	verified('half of the JSON', { kind: 'halfBody', promise: 'half' }),
	verified('HTML page after the work', { kind: 'html', when: 'after' }),
	unclear('code -109 before the work', { kind: 'code', code: -109, when: 'before' }),
	verified('code -109 after the work', { kind: 'code', code: -109, when: 'after' }),
	repeated(-120),
	repeated(-107, 'token'),
	repeated(-112),
	// It may be the second delivery of a request that was carried out
	unclear('code -114 before the work', { kind: 'code', code: -114, when: 'before' }),
	verified('code -114 after the work', { kind: 'code', code: -114, when: 'after' }),
	...DELIVERED_TWICE,
];

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } as const;

/** The rows of the money table where n8n runs the node again. */
export const RETRYING: ReadonlyMap<string, NodeSettings> = new Map<string, NodeSettings>([
	['Retry On Fail', RETRY],
	['Retry On Fail and On Error: Continue', { ...RETRY, onError: 'continueRegularOutput' }],
]);

/** All rows of the money table. */
const SETTINGS: ReadonlyMap<string, NodeSettings> = new Map([['no retry', {}], ...RETRYING]);

/** One run with one trouble in it. */
export interface PurchaseCase {
	readonly operation: SpendingOperation;
	readonly trouble: Trouble;
	readonly settingsName: string;
	readonly settings: NodeSettings;
	/** Of three items, the one in the middle is in trouble, unless all are. */
	readonly itemCount: 1 | 3;
}

export function casesOf(trouble: Trouble): PurchaseCase[] {
	return [ORDER_CREATE, ORDER_RENEW].flatMap((operation) =>
		[...SETTINGS].flatMap(([settingsName, settings]) =>
			([1, 3] as const).map((itemCount) => ({
				operation,
				trouble,
				settingsName,
				settings,
				itemCount,
			})),
		),
	);
}

/** The index of the item in trouble, or of one of them. */
export function troubledItem({ itemCount }: PurchaseCase): number {
	return itemCount === 1 ? 0 : 1;
}

export function nameOf({ operation, settingsName, itemCount, trouble }: PurchaseCase): string {
	const several = trouble.always ? 'three items' : 'the middle one of three items';
	const items = itemCount === 1 ? 'one item' : several;
	return `Order: ${operation.name === 'create' ? 'Create' : 'Renew'}, ${settingsName}, ${items}`;
}
