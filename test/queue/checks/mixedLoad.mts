import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import type { FinishedRun } from '../../../harness/realN8n/index.mts';
import {
	inWords,
	isAnswered,
	orderNumberIn,
	prepareLoad,
	runLoad,
	type LoadCall,
} from '../load.mts';
import type { QueueSession } from '../session.mts';
import { WEBHOOK_NODE } from '../webhook.mts';
import { startedBy } from '../workerLog.mts';

const AT_A_TIME = 20;

/** 200 executions of all sorts on two workers, with the service's rate limits. */
export const mixedLoad: CheckGroup<QueueSession> = {
	name: 'Mixed load',
	async run(session, check) {
		const { sandbox, workers } = session;
		const { ledger, log } = sandbox;
		const calls = await prepareLoad(session);
		const tookPartBefore = workers.map((worker) => startedBy(worker).length);
		await runLoad(calls, AT_A_TIME);
		const runs = await runsByCall(session, calls);
		const runOf = ({ number }: LoadCall) => runs.get(number)?.[0];
		const reads = calls.filter(({ errand }) => errand.spends === undefined);
		const purchases = calls.filter(({ errand }) => errand.spends !== undefined);
		const successes = purchases.filter(isAnswered);
		const refusals = log.refusals().length;

		await check(`Each of ${calls.length} calls is answered, and is one execution`, () => {
			const lost = calls.filter(({ answer }) => answer === undefined || answer instanceof Error);
			expect(lost.length === 0, `${lost.length} have no answer: ${excerpt(lost.map(inWords))}`);
			const notOne = calls.filter(({ number }) => runs.get(number)?.length !== 1);
			expect(notOne.length === 0, `not one execution: ${excerpt(notOne.map(inWords))}`);
			const different = calls.filter(
				(call) => (runOf(call)?.status === 'success') !== isAnswered(call),
			);
			expect(
				different.length === 0,
				`answer and execution differ: ${excerpt(different.map(inWords))}`,
			);
		});
		await check(`Every read succeeds, although Kuaidaili said "too fast" ${refusals} times`, () => {
			expect(refusals > 0, "the workers never got into each other's way, so nothing is proved");
			const failed = reads.filter((call) => !isAnswered(call));
			expect(
				failed.length === 0,
				`${failed.length} of ${reads.length} failed: ${failed.map((call) => `${call.errand.name}: ${errorOf(runOf(call))}`).join('; ')}`,
			);
			const short = reads.filter((call) => !hasItsItems(call));
			expect(short.length === 0, `not the right items: ${excerpt(short.map(inWords))}`);
		});
		await check(
			`Of ${purchases.length} purchases, each that succeeds is paid once, and no other is`,
			() => {
				const sold = successes.map(
					({ errand, answer }) => `${errand.spends} ${orderNumberIn(answer)}`,
				);
				const paid = ledger.entries().map(({ kind, orderId }) => `${kind} ${orderId}`);
				expectEqual(new Set(sold).size, sold.length, 'the number of different purchases');
				expectEqual([...paid].sort().join(), [...sold].sort().join(), 'what was paid');
				const wrong = successes.filter(
					({ errand, orderid, answer }) =>
						errand.spends === 'renew' && orderid !== orderNumberIn(answer),
				);
				expect(wrong.length === 0, 'another order was renewed than the one that was named');
				const spent = new Set(calls.map(({ customer }) => customer.account));
				expectEqual(
					[...spent].reduce((sum, { balanceInFen }) => sum + 1_000_000_00 - balanceInFen, 0),
					ledger.total(),
					'what the balances lost',
				);
			},
		);
		await check(
			`The other ${purchases.length - successes.length} purchases say that Kuaidaili refused them as "too fast"`,
			() => {
				const failed = purchases.filter((call) => !isAnswered(call));
				const other = failed.filter((call) => !errorOf(runOf(call)).includes('called too often'));
				expect(
					other.length === 0,
					other.map((call) => `${call.errand.name}: ${errorOf(runOf(call))}`).join('; '),
				);
				expect(
					successes.length > failed.length,
					`only ${successes.length} of ${purchases.length} succeeded`,
				);
			},
		);
		const tookPart = workers.map(
			(worker, index) => startedBy(worker).length - (tookPartBefore[index] ?? 0),
		);
		await check(`Both workers take part, with ${tookPart.join(' and ')} executions`, () => {
			expect(tookPart.length === 2 && tookPart.every((count) => count > 0), 'one did nothing');
			expectEqual(
				tookPart.reduce((sum, count) => sum + count, 0),
				calls.length,
				'the number of executions that a worker began',
			);
		});
	},
};

/** The executions that n8n keeps, by the number that the call sent along. */
async function runsByCall(
	{ n8n }: QueueSession,
	calls: readonly LoadCall[],
): Promise<ReadonlyMap<number, readonly FinishedRun[]>> {
	const counts = new Map<string, number>();
	for (const { webhook } of calls)
		counts.set(webhook.workflowId, (counts.get(webhook.workflowId) ?? 0) + 1);
	const byCall = new Map<number, FinishedRun[]>();
	for (const [workflowId, count] of counts) {
		for (const run of await n8n.runsOf(workflowId, count)) {
			const number = Number(
				at(
					run.saved,
					'data',
					'resultData',
					'runData',
					WEBHOOK_NODE,
					0,
					'data',
					'main',
					0,
					0,
					'json',
					'body',
					'number',
				),
			);
			byCall.set(number, [...(byCall.get(number) ?? []), run]);
		}
	}
	return byCall;
}

function hasItsItems({ errand, answer }: LoadCall): boolean {
	if (answer === undefined || answer instanceof Error) return false;
	const { itemCount } = errand;
	return itemCount === undefined ? answer.items.length > 0 : answer.items.length === itemCount;
}

function errorOf(run: FinishedRun | undefined): string {
	const error = at(run?.saved, 'data', 'resultData', 'error');
	return `${String(at(error, 'message'))} ${String(at(error, 'description'))}`;
}
