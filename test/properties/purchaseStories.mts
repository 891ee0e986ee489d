import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../durations.mts';
import { API } from '../engine/support/api.mts';
import { Customer, WEEK } from '../engine/support/customer.mts';
import type { Engine, RunResult } from '../engine/support/engine.mts';
import { records } from '../engine/support/results.mts';
import { RETRY } from '../engine/support/runSettings.mts';
import { sleep } from '../engine/support/sleep.mts';
import type { TestBed } from '../engine/support/testBed.mts';
import { uniqueName } from '../uniqueName.mts';

/** Faults that one request that buys may meet. */
const TROUBLES = [
	{ kind: 'cut', when: 'before' },
	{ kind: 'cut', when: 'after' },
	{ kind: 'twice' },
	{ kind: 'code', code: -120 },
	{ kind: 'code', code: -999, when: 'after' },
	{ kind: 'code', code: -61 },
	{ kind: 'delay', ms: 4000, when: 'before' },
] as const satisfies readonly Fault[];

const KINDS = ['new orders', 'orders with a key', 'renewals'] as const;

const BY_KEY = { createWhen: 'oncePerKey', onceKey: '={{ $json.n }}' };

/** One execution: a new one, which a schedule or somebody by hand starts, or a retry of an earlier one. */
export interface Step {
	/** The execution that it retries, counted back; undefined for a new one. */
	readonly retries: number | undefined;
	readonly isByHand: boolean;
	readonly worker: 0 | 1;
	/** By the number of the request that it strikes. */
	readonly troubles: ReadonlyArray<readonly [request: number, Fault]>;
	/** After so many payments its worker dies; undefined where it lives. */
	readonly diesAfter: number | undefined;
	readonly retryOnFail: boolean;
	readonly pauseMs: number;
	/** Whether it begins while the one before is still at work. */
	readonly isAtOnce: boolean;
}

export interface Story {
	readonly kind: (typeof KINDS)[number];
	readonly items: number;
	readonly balanceLagSeconds: number;
	readonly listLagSeconds: number;
	readonly steps: readonly Step[];
}

const step: fc.Arbitrary<Step> = fc.record({
	retries: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 3 }),
	isByHand: fc.boolean(),
	worker: fc.constantFrom(0 as const, 1 as const),
	troubles: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(...TROUBLES)), {
		maxLength: 2,
	}),
	diesAfter: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined, freq: 3 }),
	retryOnFail: fc.boolean(),
	pauseMs: fc.constantFrom(0, 1500, 20_000, 11 * MINUTE, HOUR),
	isAtOnce: fc.boolean(),
});

export const stories: fc.Arbitrary<Story> = fc.record({
	kind: fc.constantFrom(...KINDS),
	items: fc.integer({ min: 1, max: 4 }),
	balanceLagSeconds: fc.constantFrom(0, 5, 60),
	// What looks for a lost order looks for ten seconds
	listLagSeconds: fc.constantFrom(0, 0, 4, 7),
	steps: fc.array(step, { minLength: 1, maxLength: 4 }),
});

interface Execution {
	readonly id: string;
	/** The name of the first one of its chain. */
	readonly first: string;
	result?: RunResult;
	isKilled: boolean;
}

/** Plays a story, and says what is wrong with how it ends; nothing where all is well. */
export async function play(
	bed: TestBed,
	workers: readonly [Engine, Engine],
	story: Story,
): Promise<string[]> {
	const { sandbox } = bed;
	const { settings, faults } = sandbox;
	Object.assign(settings, {
		balanceLagSeconds: story.balanceLagSeconds,
		newOrderLagSeconds: story.listLagSeconds,
	});
	const customer = new Customer(bed);
	const isRenewal = story.kind === 'renewals';
	const path = isRenewal ? API.reneworder : API.createorder;
	const orders = Array.from({ length: isRenewal ? story.items : 0 }, (_, n) =>
		customer.tunnel(30 * HOUR + n * MINUTE),
	);
	const items = Array.from({ length: story.items }, (_, n): IDataObject => ({ n }));
	const node = uniqueName('node');
	const options = { maxOrdersPerRun: 10, timeout: 60 };
	const executions: Execution[] = [];
	const running: Array<Promise<void>> = [];
	for (const one of story.steps) {
		const retried = one.retries === undefined ? undefined : executions.at(-one.retries);
		if (retried !== undefined && !retried.isKilled && retried.result?.error === undefined) continue;
		const id = uniqueName('execution');
		const execution: Execution = { id, first: retried?.first ?? id, isKilled: false };
		executions.push(execution);
		const seen = sandbox.log.entries(path).length;
		for (const [request, trouble] of one.troubles) {
			const fault = { ...trouble, path, times: 1 };
			if (request === 0) faults.add(fault);
			else
				void customer.asked(path, seen + request).then(
					() => faults.add(fault),
					() => undefined,
				);
		}
		let die = () => {};
		const cancelWhen = new Promise<void>((resolve) => (die = resolve));
		const paidBefore = customer.paid;
		const { diesAfter } = one;
		const own = one.retryOnFail ? RETRY : {};
		const run = {
			executionId: id,
			engine: workers[one.worker],
			settings: { id: node, ...own },
			...(retried === undefined
				? { rootMode: one.isByHand ? ('manual' as const) : ('trigger' as const) }
				: retried.isKilled || retried.result === undefined
					? { killedExecutionId: retried.id }
					: { retryOf: retried.result.saved, retriedExecutionId: retried.id }),
			...(diesAfter === undefined ? {} : { cancelWhen }),
		};
		const over = (
			isRenewal
				? customer.renewEach(orders, { ...WEEK, options }, run)
				: customer.buy(
						{ ...(story.kind === 'orders with a key' && BY_KEY), options },
						{ items, ...run },
					)
		).then((result) => {
			execution.result = result;
		});
		const whole = (async () => {
			if (diesAfter !== undefined) {
				const isDead = async () => {
					for (let ms = 0; ms < 120_000 && execution.result === undefined; ms += 500) {
						if (customer.paid >= paidBefore + diesAfter) return;
						await sleep(500);
					}
				};
				await isDead();
				if (execution.result === undefined) {
					// Nothing of what it does from here on arrives anywhere
					execution.isKilled = true;
					die();
				}
			}
			await over;
		})();
		running.push(whole);
		if (!one.isAtOnce) await whole;
		await sleep(one.pauseMs);
	}
	await Promise.all(running);
	faults.clear();
	return isRenewal
		? await wrongRenewals(customer, orders, workers, node)
		: wrongOrders(customer, executions, story);
}

async function wrongRenewals(
	customer: Customer,
	orders: ReadonlyArray<ReturnType<Customer['tunnel']>>,
	workers: readonly Engine[],
	node: string,
): Promise<string[]> {
	const wrong: string[] = [];
	// The next morning's run of the schedule, after what is unclear may have shown
	await sleep(30 * MINUTE);
	const last = await customer.renewEach(
		orders,
		{ ...WEEK, options: { maxOrdersPerRun: 10 } },
		{
			executionId: uniqueName('execution'),
			rootMode: 'trigger',
			engine: workers[0],
			settings: { id: node },
		},
	);
	if (last.error !== undefined) wrong.push(`The last run fails: ${last.error.message}`);
	for (const { orderId, expiresAt } of orders) {
		const paid = customer.payments.filter((payment) => payment.orderId === orderId).length;
		if (paid > 1) wrong.push(`Order ${orderId} was paid ${paid} times`);
		if (paid === 0) wrong.push(`Order ${orderId} was not renewed`);
		const left = (expiresAt?.getTime() ?? 0) - Date.now();
		if (left < 3 * DAY) wrong.push(`Order ${orderId} lapses`);
	}
	return wrong;
}

function wrongOrders(customer: Customer, executions: readonly Execution[], story: Story): string[] {
	const wrong: string[] = [];
	const placed = new Set(customer.payments.map(({ orderId }) => orderId));
	// Each execution has the same keys
	const isByKey = story.kind === 'orders with a key';
	const chains = isByKey ? 1 : new Set(executions.map(({ first }) => first)).size;
	if (customer.paid > chains * story.items) {
		wrong.push(`${customer.paid} orders were paid for ${chains} x ${story.items}`);
	}
	const claimedBy = new Map<unknown, string>();
	for (const { first, id, result, isKilled } of executions) {
		if (result === undefined || isKilled) continue;
		for (const [index, record] of records(result).entries()) {
			if (record.created !== true) continue;
			const { orderid } = record;
			if (!placed.has(String(orderid)))
				wrong.push(`${id} claims ${String(orderid)}, which is not its own`);
			const claim = `${first} item ${index}`;
			const other = claimedBy.get(orderid) ?? claim;
			if (other !== claim) wrong.push(`${other} and ${claim} claim the same order`);
			claimedBy.set(orderid, claim);
		}
	}
	return wrong;
}

/** For the report of a failure. */
export function storyInWords(story: Story): string {
	return JSON.stringify(story);
}
