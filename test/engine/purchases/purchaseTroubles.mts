import type { IDataObject, INode } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { triesAll } from '../../fullMatrices.mts';

/*
 * What happens to the money when something goes wrong. Nothing is mocked: the built node runs in n8n's
 * engine, and what was paid is what the sandbox's ledger says.
 */
export interface Operation {
	name: 'create' | 'renew';
	path: string;
	/** Where the node looks before a purchase, and after an unclear one. */
	looks: string;
	parameters: IDataObject;
	/** What the message about an unclear outcome says. */
	unclear: RegExp;
	/** What its description says about where to look. */
	whereToLook: RegExp;
}

const OPERATIONS: readonly Operation[] = [
	{
		name: 'create',
		path: '/api/createorder',
		looks: '/api/getaccountorders',
		parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', tpsMaxRps: 5 },
		unclear: /^The order may have been placed: /,
		whereToLook: /Order: Get Many.*order list/,
	},
	{
		name: 'renew',
		path: '/api/reneworder',
		looks: '/api/getorderexpiretime',
		parameters: { renewWhen: 'always', renewalOf: 'prepaid', timeType: 'DAY', timeNumber: 1 },
		unclear: /^The order may have been renewed: /,
		whereToLook: /expiry time.*Order: Get/,
	},
];

interface Trouble {
	name: string;
	fault: Fault;
	/** How often the troubled item is paid, and what the node says of it. */
	paid: 0 | 1;
	outcome: 'unclear' | 'verified' | 'success';
	/** How many requests that buy the troubled item makes. */
	requests: number;
	/** Whether the service does not say either what there was before, or what there is now. */
	looksFail?: true;
}

/** What was paid can be seen at the service afterwards. */
const unclear = (name: string, fault: Fault, paid: 0 | 1): Trouble => ({
	name,
	fault,
	paid,
	outcome: paid === 1 ? 'verified' : 'unclear',
	requests: 1,
});

const repeated = (code: number): Trouble => ({
	name: `code ${code}`,
	fault: { kind: 'code', code },
	paid: 1,
	outcome: 'success',
	requests: 2,
});

const ANSWERS_LOST: readonly Trouble[] = [
	unclear('a connection cut before the work', { kind: 'cut', when: 'before' }, 0),
	unclear('a connection cut after the work', { kind: 'cut', when: 'after' }, 1),
	unclear('no answer within the time-out, before the work', { kind: 'hang', when: 'before' }, 0),
	unclear('no answer within the time-out, after the work', { kind: 'hang', when: 'after' }, 1),
	unclear('status 502 before the work', { kind: 'status', status: 502, when: 'before' }, 0),
	unclear('status 502 after the work', { kind: 'status', status: 502, when: 'after' }, 1),
	unclear('status 503 before the work', { kind: 'status', status: 503, when: 'before' }, 0),
	unclear('status 503 after the work', { kind: 'status', status: 503, when: 'after' }, 1),
	unclear('status 401 after the work', { kind: 'status', status: 401, when: 'after' }, 1),
	unclear('status 429 after the work', { kind: 'status', status: 429, when: 'after' }, 1),
	unclear('half of the JSON', { kind: 'halfBody', promise: 'half' }, 1),
	unclear('a connection cut in the middle of the answer', { kind: 'halfBody', promise: 'full' }, 1),
	unclear('a connection reset before the work', { kind: 'cut', how: 'reset', when: 'before' }, 0),
	unclear('a connection reset after the work', { kind: 'cut', how: 'reset', when: 'after' }, 1),
	unclear('an HTML page before the work', { kind: 'html', when: 'before' }, 0),
	unclear('an HTML page after the work', { kind: 'html', when: 'after' }, 1),
	unclear('code -109 before the work', { kind: 'code', code: -109, when: 'before' }, 0),
	unclear('code -109 after the work', { kind: 'code', code: -109, when: 'after' }, 1),
	unclear('an unknown code after the work', { kind: 'code', code: -999, when: 'after' }, 1),
];

/** Something on the way delivers the request twice; the pace is not judged here, so that both get through. */
const TWICE: readonly Trouble[] = [
	unclear('a request that arrives twice, with the last answer', { kind: 'twice' }, 1),
	unclear('a request that arrives twice, after a cut', { kind: 'twice', cutFirst: 'after' }, 1),
	{
		name: 'a request that arrives twice, with the first answer',
		fault: { kind: 'twice', answer: 'first' } as const,
		paid: 1 as const,
		outcome: 'success' as const,
	},
].map((trouble): Trouble => ({ ...trouble, requests: 2 }));

const TROUBLES: readonly Trouble[] = [
	...ANSWERS_LOST,
	...ANSWERS_LOST.filter(({ paid }) => paid === 1).map(
		(trouble): Trouble => ({
			...trouble,
			name: `${trouble.name}, and nothing to be seen afterwards`,
			outcome: 'unclear',
			looksFail: true,
		}),
	),
	repeated(-120),
	repeated(-112),
	// It may be the second delivery of a request that was carried out
	unclear('code -114 before the work', { kind: 'code', code: -114, when: 'before' }, 0),
	unclear('code -114 after the work', { kind: 'code', code: -114, when: 'after' }, 1),
	...TWICE,
];

const SETTINGS: ReadonlyArray<[name: string, settings: Partial<INode>]> = [
	['plain', {}],
	['Retry On Fail', { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }],
	['Continue On Fail', { onError: 'continueRegularOutput' }],
	[
		'Retry and Continue On Fail',
		{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1, onError: 'continueRegularOutput' },
	],
];

export type Case = [
	operation: Operation,
	trouble: Trouble,
	settingsName: string,
	settings: Partial<INode>,
	itemCount: 1 | 3,
];

const ITEM_COUNTS = [1, 3] as const;

const COMBINATIONS = SETTINGS.flatMap(([name, settings]) =>
	ITEM_COUNTS.map((count) => [name, settings, count] as const),
);

/** All of them for `npm run fuzz`; else each trouble once, with the next one of the combinations. */
export const CASES: Case[] = OPERATIONS.flatMap((operation, o) =>
	TROUBLES.flatMap((trouble, t) =>
		COMBINATIONS.filter((_combination, c) => triesAll || c === (t + o) % COMBINATIONS.length).map(
			(combination): Case => [operation, trouble, ...combination],
		),
	),
);
