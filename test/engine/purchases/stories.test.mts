import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import type { Engine } from '../support/engine.mts';
import { missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';
import { KINDS } from './purchaseKinds.mts';

/*
 * Executions of one node, one after the other. One of them buys, and the others give what was bought, or are refused:
 * what is paid is what an execution says that it bought, and nothing else.
 */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

/** One execution. */
interface Step {
	/** Who starts it: somebody by hand, a schedule, or a retry of the execution with this index. */
	readonly by: 'click' | 'schedule' | number;
	/** Its worker, the first one if not given. Workers share nothing but n8n's database. */
	readonly on?: number;
	/** So long after the one before. */
	readonly after?: number;
	/** What becomes of its request: Kuaidaili refuses it, or never gets it. */
	readonly is?: 'refused' | 'missed';
	/** The text of its input item; items are equal if not given. */
	readonly item?: string;
	/** That it has bought, that nothing was to be bought, or its error; undefined where it may say anything. */
	readonly says: 'bought' | 'nothing' | RegExp | undefined;
}

type Kind = keyof typeof KINDS;

/** @param isShownLate whether Kuaidaili shows nothing that is bought meanwhile */
async function play(kind: Kind, steps: readonly Step[], isShownLate: boolean): Promise<void> {
	const { open, path } = KINDS[kind];
	const run = open(customer);
	const { faults } = customer.sandbox;
	for (const late of isShownLate ? [API.getorderexpiretime, API.getaccountorders] : []) {
		faults.add({ kind: 'cache', path: late });
	}
	const settings = { id: uniqueName('node') };
	const workers = new Map<number, Engine>([[1, bed().engine]]);
	const executions: Array<{ retryOf: string; retriedExecutionId: string }> = [];
	let paid = 0;
	for (const [index, { after = 0, by, is, item, on = 1, says }] of steps.entries()) {
		await sleep(after);
		if (is === 'missed') faults.add(missed(path));
		if (is === 'refused') faults.add({ kind: 'code', code: -5, path, times: 1 });
		const engine = workers.get(on) ?? bed().engine.anotherProcess();
		workers.set(on, engine);
		const executionId = uniqueName('execution');
		const started = {
			...(typeof by === 'number' && executions[by]),
			...(by === 'schedule' && { rootMode: 'trigger' as const }),
			...(item !== undefined && { items: [{ item }] }),
		};
		const result = await run({ settings, executionId, engine, ...started });
		executions.push({ retryOf: result.saved, retriedExecutionId: executionId });
		if (says === 'bought') paid += 1;
		expect([index, customer.paid]).toEqual([index, paid]);
		if (says === undefined) continue;
		if (says instanceof RegExp) {
			expect(result.error).toBeDefined();
			expect(textOf(result)).toMatch(says);
			continue;
		}
		expect([index, result.error]).toEqual([index, undefined]);
		const [{ created, renewed, ...record }] = records(result);
		expect([index, created ?? renewed]).toEqual([index, says === 'bought']);
		const numbers = customer.payments.map(({ orderId }) => orderId);
		if (says === 'bought') expect(record.orderid).toBe(numbers.at(-1));
		else expect(numbers).toContain(record.orderid);
		// A table of purchases is not to get it once more
		const isPurchase = 'purchasedAt' in record || 'cost' in record;
		expect([index, isPurchase]).toEqual([index, says === 'bought']);
	}
}

const FAILED = /^(?!.*may have been)/s;
const UNCLEAR = / may have been (?:placed|renewed|bought): /;
const REFUSED = /Another run of this node sent the same/;
const UNTIL =
	/sent the same.*Nothing was bought this time, because this run may be a repetition of that one\..* run it again after 20\d\d-\S+ \S+ /s;
const ANOTHER_ITEM =
	/bought the same for another item in the last 10 minutes \(order \d+, Tunnel Proxy \(TPS\), Prepaid\).* run it again after \d{4}-\d\d-\d\d \d\d:\d\d/s;
const OF_ANOTHER = /It may also come from another purchase of this node/;
const USED = /nothing shows what came of it/;

const ORDER = ['a new order'] as const;
const KEYED = ['an order for a key'] as const;
const IN_ANY_CASE = ['a new order', 'a renewal in any case', 'a top-up in any case'] as const;
const BY_TIME = ['a renewal if due', 'a renewal in any case'] as const;
const STARTS = ['click', 'schedule'] as const;

type Story = [what: string, kinds: readonly Kind[], steps: readonly Step[], isShownLate?: boolean];

const STORIES: readonly Story[] = [
	/* Clicks */

	[
		'a second click gives for ten minutes what was bought',
		ORDER,
		[
			{ by: 'click', is: 'refused', says: FAILED },
			{ by: 'click', after: 2000, says: 'bought' },
			{ by: 'click', after: 590_000, says: 'nothing' },
			{ by: 'click', after: 50_000, says: 'bought' },
		],
	],
	[
		'a click on another worker is refused until when, a schedule never is',
		ORDER,
		[
			{ by: 'schedule', says: 'bought' },
			{ by: 'click', on: 2, says: UNTIL },
			{ by: 'schedule', on: 3, says: 'bought' },
		],
	],
	[
		'a click on another worker for another item with the same goods is refused until when',
		ORDER,
		[
			{ by: 'click', item: 'a', says: 'bought' },
			{ by: 'click', item: 'b', on: 2, says: UNTIL },
		],
	],
	[
		'a click is refused where another worker bought what this one was refused',
		IN_ANY_CASE,
		[
			{ by: 'click', is: 'refused', says: FAILED },
			{ by: 'click', on: 2, after: MINUTE, says: 'bought' },
			{ by: 'click', after: MINUTE, says: REFUSED },
		],
	],
	[
		'a click says what is unclear, as the first one did',
		IN_ANY_CASE,
		[
			{ by: 'click', is: 'missed', says: UNCLEAR },
			{ by: 'click', after: 2000, says: UNCLEAR },
		],
	],

	[
		'a click for another item with the same goods is refused for ten minutes, until when',
		ORDER,
		[
			{ by: 'click', item: 'a', is: 'refused', says: FAILED },
			{ by: 'click', item: 'b', says: 'bought' },
			{ by: 'click', item: 'a', says: 'bought' },
			{ by: 'click', item: 'c', says: ANOTHER_ITEM },
			{ by: 'click', item: 'c', after: 601_000, says: 'bought' },
		],
	],

	/* A retry after something that has bought the same */

	[
		'a retry of a refused execution in the process of a click gives what was bought',
		IN_ANY_CASE,
		[
			{ by: 'schedule', is: 'refused', says: FAILED },
			{ by: 'click', after: 10_000, says: 'bought' },
			{ by: 0, after: MINUTE, says: 'nothing' },
		],
	],
	...STARTS.map(
		(by): Story => [
			`a retry of a refused ${by} on another worker is refused for twelve minutes after a click`,
			ORDER,
			[
				{ by, is: 'refused', says: FAILED },
				// In the same window of signatures, Kuaidaili would take it for the request that was refused
				{ by: 'click', on: 2, after: 10_000, says: 'bought' },
				{ by: 0, on: 3, says: REFUSED },
				{ by: 0, on: 4, after: 12 * MINUTE, says: 'bought' },
			],
		],
	),
	[
		'retries of two executions with equal items buy for each',
		ORDER,
		[
			{ by: 'schedule', is: 'refused', says: FAILED },
			{ by: 'schedule', is: 'refused', says: FAILED },
			{ by: 0, says: 'bought' },
			{ by: 1, says: 'bought' },
		],
	],
	[
		'a retry of an unclear execution buys once ten minutes are over',
		IN_ANY_CASE,
		[
			{ by: 'schedule', is: 'missed', says: UNCLEAR },
			{ by: 0, on: 2, after: 10 * MINUTE + 1000, says: 'bought' },
		],
	],
	// By a click, a schedule, or a retry on another worker, somebody has bought what was unclear
	...IN_ANY_CASE.flatMap((kind, index): Story[] => {
		// IPs that may be used already don't tell whose they are
		const known = index === 2 ? OF_ANOTHER : 'nothing';
		const elsewhere = ([REFUSED, 'nothing', undefined] as const)[index];
		const later = index === 0 ? 'bought' : known;
		const lost = { by: 'schedule', is: 'missed', says: UNCLEAR } as const;
		const click = { by: 'click', after: 13 * MINUTE, says: 'bought' } as const;
		return [
			[
				'a retry of an unclear execution says what a click of its process bought',
				[kind],
				[lost, click, { by: 0, after: MINUTE, says: known }],
			],
			[
				'a retry of an unclear execution buys nothing after a click on another worker',
				[kind],
				[lost, click, { by: 0, on: 2, after: MINUTE, says: elsewhere }],
			],
			...STARTS.map(
				(by): Story => [
					`retries more than ten minutes after a ${by} buy a new order, and renew nothing that is renewed`,
					[kind],
					[
						lost,
						{ ...click, by },
						{ by: 0, after: 12 * MINUTE, says: later },
						{ by: 0, after: HOUR, says: known },
					],
				],
			),
		];
	}),
	...[1, 3].map(
		(on): Story => [
			`two retries (on worker ${on}) do not claim what another execution has renewed since, or add to it`,
			BY_TIME,
			[
				{ by: 'schedule', is: 'missed', says: UNCLEAR },
				{ by: 'schedule', on: 2, after: 12 * MINUTE, says: 'bought' },
				{ by: 0, on, says: 'nothing' },
				{ by: 0, on: on === 1 ? 1 : 4, after: 12 * MINUTE, says: 'nothing' },
			],
		],
	),
	[
		'a retry of an unclear renewal goes by its condition, whoever renewed the order meanwhile',
		['a renewal if due'],
		[
			{ by: 'schedule', is: 'missed', says: UNCLEAR },
			{ by: 'schedule', after: 13 * MINUTE, says: 'bought' },
			{ by: 0, after: 12 * MINUTE, says: 'nothing' },
			{ by: 0, after: 6 * DAY, says: 'bought' },
		],
	],
	[
		'of two retries on two workers, one buys, however late that shows',
		ORDER,
		[
			{ by: 'schedule', is: 'missed', says: UNCLEAR },
			{ by: 0, on: 2, after: 12 * MINUTE, says: 'bought' },
			{ by: 0, on: 3, after: 20_000, says: REFUSED },
		],
		true,
	],

	/* A prepaid order never has the same end twice, and none lapses */

	[
		'three workers renew it once where the new end shows 20 minutes late',
		BY_TIME,
		[
			{ by: 'schedule', says: 'bought' },
			{ by: 'schedule', on: 2, after: 6 * MINUTE, says: 'nothing' },
			{ by: 'schedule', on: 3, after: 6 * MINUTE, says: 'nothing' },
		],
		true,
	],
	[
		'twelve minutes after a lost one it is made, however often other workers look until then',
		['a renewal if due'],
		[
			{ by: 'schedule', is: 'refused', says: FAILED },
			{ by: 'schedule', on: 2, is: 'missed', says: UNCLEAR },
			{ by: 'schedule', on: 3, after: 6 * MINUTE, says: REFUSED },
			{ by: 'schedule', on: 4, after: 6 * MINUTE, says: 'bought' },
			{ by: 'schedule', on: 5, after: 6 * MINUTE, says: 'nothing' },
		],
	],
	[
		'each run of a schedule makes it, some seconds apart',
		['a renewal in any case'],
		[
			{ by: 'schedule', says: 'bought' },
			{ by: 'schedule', on: 2, after: 1000, says: 'bought' },
		],
	],

	/* Once per Key */

	...[1, 2].map(
		(on): Story => [
			`a webhook that is delivered three times buys once, also months later (on worker ${on})`,
			KEYED,
			[
				{ by: 'schedule', says: 'bought' },
				{ by: 'schedule', on, after: 20 * MINUTE, says: 'nothing' },
				{ by: 'schedule', on: 3, after: 60 * DAY, says: 'nothing' },
			],
		],
	),
	[
		'what was refused is bought the next time, whoever asks',
		KEYED,
		[
			{ by: 'schedule', is: 'refused', says: FAILED },
			{ by: 'schedule', on: 2, after: MINUTE, says: 'bought' },
		],
	],
	...[1, 2].map(
		(on): Story => [
			`what is unclear stays an error for others, however late, and is bought by Retry (on worker ${on})`,
			KEYED,
			[
				{ by: 'schedule', is: 'missed', says: UNCLEAR },
				{ by: 'schedule', on, after: 12 * MINUTE, says: on === 1 ? UNCLEAR : USED },
				{ by: 0, on, says: 'bought' },
				{ by: 'schedule', on, says: 'nothing' },
			],
		],
	),
];

const CASES = STORIES.flatMap(([what, kinds, steps, isShownLate = false]) =>
	kinds.map((kind) => ({ what, kind, steps, isShownLate })),
);

it.each(CASES)('$kind: $what', async ({ isShownLate, kind, steps }) => {
	await play(kind, steps, isShownLate);
});
