import { toNodeError } from '../../shared/api/errors';
import { DAY_MS } from '../../shared/service/chinaTime';
import { sentences } from '../../shared/wording';
import type { ItemOutcome, RunOutcome } from '../run/operation';
import type { LedgerEntry } from './ledger';
import type { PurchaseRun } from './purchaseRun';
import {
	countsInWords,
	firstTen,
	lapsingHint,
	limitHint,
	LimitReachedError,
	noPricesHint,
	NOTHING_BOUGHT,
	purchasesInWords,
	unmovedHint,
} from './texts';
import { DRY_RUN_OUTPUT, isDone } from './types';

const DONE_IN_WORDS = { created: 'ordered', renewed: 'renewed' } as const;

const BOUGHT_AGAIN =
	'Leave the items that were bought out when you run it again, or they are bought again.';

const DRAG_ORDER =
	"'Order' is not the order of each input item. To renew those, drag 'orderid' from the input into 'Order'.";

/**
 * The outputs of a run that is over, and what is to be said of it.
 *
 * @param isStopped before anything was bought in this run, or in the one that 'Retry On Fail' repeats with it
 */
export function reportRun(run: PurchaseRun, isStopped: boolean): RunOutcome {
	const { failures, ledger, outputs } = run;
	const bought = ledger.ofThisRun();
	const results = [...outputs].map(([index, { record }]): [number, ItemOutcome] => [
		index,
		{ kind: 'result', result: { records: [record] } },
	]);
	const failed = [...failures].map(([index, failure]): [number, ItemOutcome] => [
		index,
		{ kind: 'error', ...failure },
	]);
	const hints = isStopped ? [] : hintsOf(run, bought);
	return {
		items: [...results, ...failed],
		hints,
		note: noteOf(run, bought, hints, isStopped),
	};
}

/** Sentences to add to the error that the run fails with. */
function noteOf(
	run: PurchaseRun,
	bought: readonly LedgerEntry[],
	hints: readonly string[],
	isStopped: boolean,
): string {
	const { failures } = run;
	const ending = Math.min(...failures.keys());
	const others = bought.filter(({ itemIndex }) => itemIndex !== ending);
	const isSaid = bought.length > 0 || failures.get(ending)?.error instanceof LimitReachedError;
	// Whether a person who runs it again pays for it again
	const isBoughtAgain = others.some(
		({ isConditional, onceKey, state }) =>
			state === 'paid' && !isConditional && onceKey === undefined,
	);
	const more = isStopped
		? [isSaid ? undefined : NOTHING_BOUGHT]
		: [
				otherFailures(run, ending),
				notTriedInWords(run.notTried),
				isBoughtAgain ? BOUGHT_AGAIN : undefined,
				...hints,
			];
	return sentences(purchasesInWords(others), ...more);
}

function otherFailures(
	{ context, failures, ledger, operation }: PurchaseRun,
	ending: number,
): string | undefined {
	const texts = [...failures].flatMap(([index, { error, known }]) => {
		if (index === ending || ledger.entryOf(index)?.state === 'unknown') return [];
		const { orderid } = known;
		const item = `item ${index}`;
		const which = typeof orderid === 'string' ? `order ${orderid} (${item})` : item;
		return `${which}: ${toNodeError(context.getNode(), error).message}`;
	});
	if (texts.length === 0) return undefined;
	return `Not ${DONE_IN_WORDS[operation.done]}: ${firstTen(texts, '; ')}.`;
}

function notTriedInWords(items: readonly number[]): string | undefined {
	if (items.length === 0) return undefined;
	return `Not tried: ${items.length === 1 ? 'item' : 'items'} ${firstTen(items)}. 'Retry' of this execution buys what is missing.`;
}

function hintsOf(run: PurchaseRun, bought: readonly LedgerEntry[]): string[] {
	const { failures, items, localTime, operation, outputs } = run;
	const { done } = operation;
	const itemCount = items.length;
	const paid = bought.filter(({ state }) => state === 'paid');
	const dry = [...outputs.values()].filter(({ record }) => record[DRY_RUN_OUTPUT[done]] === true);
	const unmoved = [...outputs.values()].filter(({ isUnmoved }) => isUnmoved === true);
	const notDone = [...outputs.values()].filter((output) => !isDone(operation, output));
	const limited = notDone.filter(({ limit }) => limit !== undefined);
	const notDue = notDone.filter(
		(output) =>
			output.limit === undefined && output.endsAt !== undefined && !unmoved.includes(output),
	);
	const lapsing = notDue.filter(({ endsAt = Infinity }) => endsAt - Date.now() < DAY_MS);
	const counts = countsInWords(
		DONE_IN_WORDS[done],
		paid.map(({ cost }) => cost),
		dry.map(({ record }) => record.probableCost),
		{
			'not due': notDue.length,
			'held back by a limit': limited.length,
			[`not ${DONE_IN_WORDS[done]} (see 'reason')`]:
				notDone.length - notDue.length - limited.length,
			failed: failures.size,
		},
	);
	const isNothing = notDone.length === itemCount;
	const isOfSeveral = itemCount > 1 && (isNothing || paid.length + dry.length + failures.size > 0);
	// In a table, the column with the reason may be out of sight
	const ofOne = itemCount === 1 && limited.length === 0 ? [...outputs.values()] : [];
	const only = ofOne.flatMap((output) => {
		const { text, reason } = output.record;
		const words = isDone(operation, output) ? text : reason;
		return typeof words === 'string' ? `${words.replace(/\.$/, '')}.` : [];
	});
	const isCostUnknown = dry.some(({ record }) => record.probableCost === undefined);
	return [
		...(isOfSeveral ? [counts] : []),
		...only,
		// Errors show these sentences as they are
		...(isCostUnknown && failures.size === 0 ? [noPricesHint(dry[0].record.balance)] : []),
		...(itemCount > 1 && run.hasOtherOrders ? [DRAG_ORDER] : []),
		...(limited.length === 0 ? [] : [limitHint(limited, localTime)]),
		...(unmoved.length === 0 ? [] : [unmovedHint(unmoved, localTime)]),
		...(lapsing.length === 0 ? [] : [lapsingHint(lapsing, localTime)]),
		...run.warnings,
		...run.spending.hints,
	];
}
