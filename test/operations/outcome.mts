import assert from 'node:assert/strict';

import { BALANCE, byCode } from './common.mts';
import { callsOf, isPaid, pathOf, reportsCost, type EventWay, type Way } from './index.mts';
import type { Json, Outcome } from './row.mts';
import { ownParameters, World } from './world.mts';

/** Somebody who is about to run the operation in this way. */
export function worldOf({ theCase, by }: Way, sandbox: World['sandbox']): World {
	const world = new World(sandbox, by, theCase.order);
	theCase.arrange?.(world);
	return world;
}

/** The field 'Order', where the key pair does not tell. */
function chosenOrder({ by, order }: World): Json {
	return by === 'account' && order !== undefined ? { orderid: byCode(order.orderId) } : {};
}

/** All that stands in the node. */
export function parametersOf({ operation, theCase }: Way, world: World): Json {
	return {
		resource: operation.resource,
		operation: operation.operation,
		...(operation.key === 'order' && chosenOrder(world)),
		...theCase.fields,
	};
}

const LONGEST_RUN_S = 60;

/** Without the report of what it cost, which every purchase of the account has. */
function withoutCost(record: Json): Json {
	const { balanceBefore: _before, balanceAfter: _after, cost: _cost, ...others } = record;
	return others;
}

/** Without the time that is left, which goes by. */
function lasting(records: readonly Json[], now: Date): Json[] {
	return records.map(({ secondsLeft, daysLeft, text, purchasedAt: _now, ...record }) => {
		if (record.expiresAt === undefined) return text === undefined ? record : { ...record, text };
		// It says the same in words, and names the order
		if (text !== undefined) assert.match(String(text), / order \d+ (?:expire|by )/);
		const left = (Date.parse(String(record.expiresAt)) - now.getTime()) / 1000;
		// An order that is simplified has days only
		const isSimplified = secondsLeft === undefined;
		const seconds = isSimplified ? Number(daysLeft) * 86_400 : Number(secondsLeft);
		const longest = isSimplified ? 8640 : LONGEST_RUN_S;
		assert.ok(Math.abs(left - seconds) <= longest, `${seconds} s, not ${left}`);
		// Only orders last for days
		if (daysLeft !== undefined && !isSimplified) {
			assert.equal(daysLeft, Math.floor(Number(secondsLeft) / 8640) / 10);
		}
		return record;
	});
}

/**
 * That a run did what its case says, for its user and at the service.
 *
 * @throws when it did not
 */
export function proveOutcome(
	way: Way,
	world: World,
	{ records, hints }: Pick<Outcome, 'records' | 'hints'>,
): void {
	const { operation, theCase } = way;
	const { sent = {}, code = 0, gives, prove } = theCase;
	const all = world.requests();
	// The balance is read while the run goes on, for the report of what was bought
	const isReported = reportsCost(way);
	const requests = isReported ? all.filter(({ path }) => path !== BALANCE) : all;
	assert.deepEqual(
		requests.map(({ path }) => path),
		callsOf(way),
	);
	assert.equal(all.length - requests.length, isReported ? 2 : 0);
	const [request, ...more] = requests.filter(({ path }) => path === pathOf(way));
	assert.deepEqual(more, []);
	assert.deepEqual(ownParameters(request), sent);
	assert.equal(request.code, code);

	const { payments, spentInFen } = world;
	assert.equal(payments.length, isPaid(way) ? 1 : 0);
	if (isPaid(way)) assert.ok(payments[0].amountInFen > 0);
	if (operation.costs === 'at once') assert.equal(spentInFen, payments[0]?.amountInFen ?? 0);
	if (isReported) assert.equal(Number(records[0].cost) * 100, payments[0].amountInFen);

	const told = isReported ? records.map(withoutCost) : records;
	if (gives !== undefined) {
		assert.deepEqual(lasting(told, world.sandbox.clock.now()), gives(world));
	}
	prove?.({ records: told, hints, request, payments }, world);
}

/** Somebody who is about to try the event out. */
export function worldOfEvent({ row, by }: EventWay, sandbox: World['sandbox']): World {
	const world = new World(sandbox, by, row.order);
	row.arrange?.(world);
	return world;
}

/** All that stands in the trigger. */
export function parametersOfEvent({ row: { event, fields } }: EventWay, world: World): Json {
	return { event, ...chosenOrder(world), ...fields };
}

/**
 * That the trigger, tried out by hand, gave what its row says.
 *
 * @throws when it did not
 */
export function proveEvent({ row }: EventWay, world: World, records: readonly Json[]): void {
	const { event, gives, path } = row;
	assert.deepEqual(
		lasting(records, world.sandbox.clock.now()).map(({ text: _text, ...record }) => record),
		gives(world).map((record) => ({ ...record, event, test: true })),
	);
	// It can be sent as it is; the times in it pass
	for (const { text } of records) assert.match(String(text), /^Test event: [A-Z].*\w$/);
	assert.equal(world.requests().at(-1)?.path, path);
}
