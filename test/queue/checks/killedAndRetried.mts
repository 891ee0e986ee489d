import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import type { FinishedRun } from '../../../harness/realN8n/index.mts';
import { newCustomer, type Customer } from '../customer.mts';
import { CREATE, RENEW, RENEW_IF_EXPIRING } from '../operations.mts';
import { runningWorkers, STALLED_FOUND_MS, type QueueSession } from '../session.mts';
import { serve, type Served } from '../webhook.mts';
import { runningOn } from '../workerLog.mts';

const WORKERS = 20;
/** So many executions run on a worker when it is killed. */
const RUNS = 10;
const PURCHASES = 3;
const BEGUN_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** Within so long, an execution makes its purchases. */
const LONGEST_MS = 5_000;
const RETRIED_AT_ONCE = 10;

const KINDS = [
	{ kind: 'orders', parameters: { ...CREATE, options: { maxOrdersPerRun: PURCHASES } } },
	{ kind: 'renewals', parameters: RENEW },
	{ kind: 'renewals of expiring orders', parameters: RENEW_IF_EXPIRING },
] as const;

/** An execution of a customer of its own. */
interface Run {
	readonly kind: (typeof KINDS)[number]['kind'];
	readonly customer: Customer;
	readonly webhook: Served;
}

async function prepare(session: QueueSession, round: number): Promise<readonly Run[]> {
	const runs: Run[] = [];
	for (let index = 0; index < RUNS; index++) {
		const { kind, parameters } = KINDS[(round + index) % KINDS.length];
		const customer = await newCustomer(session, kind === 'orders' ? 0 : PURCHASES);
		const name = `Killed ${round} ${index}`;
		const differences = { hasItems: true };
		const webhook = await serve(session, name, parameters, customer.credential, differences);
		runs.push({ kind, customer, webhook });
	}
	return runs;
}

/** Lets a worker that is alone begin the executions, and kills it a while later. */
async function killDuring(session: QueueSession, runs: readonly Run[], afterMs: number) {
	const [worker] = await runningWorkers(session, 1);
	for (const { customer, webhook } of runs) {
		const orders = Array.from({ length: PURCHASES }, (_none, index) => ({
			body: { orderid: customer.tunnels[index]?.orderId, index },
		}));
		// Whether the caller of the webhook gets an answer is n8n's affair
		webhook.call({ orders }).catch(() => undefined);
	}
	const giveUpAt = Date.now() + BEGUN_LIMIT_MS;
	while (runningOn(worker).length < RUNS && Date.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
	await sleep(afterMs);
	const killed = runningOn(worker).length;
	await worker.kill();
	return killed;
}

/** The orders that the customer has paid for, once for each payment. */
function paidOrders({ sandbox }: QueueSession, { account, tunnels }: Customer): string[] {
	const keys = [account, ...tunnels].map(({ keys: { secretId } }) => secretId);
	return sandbox.ledger
		.entries()
		.filter(({ secretId }) => keys.includes(secretId))
		.map(({ orderId }) => orderId);
}

/** Presses 'Retry' where the execution has failed. */
async function retryFailed({ n8n }: QueueSession, { webhook }: Run): Promise<FinishedRun> {
	const [last] = await n8n.runsOf(webhook.workflowId, 1);
	return last.status === 'success' ? last : await n8n.retryRun(last);
}

/** Workers that are killed at any step of purchases, whose executions somebody retries. */
export const killedAndRetried: CheckGroup<QueueSession> = {
	name: 'Workers that are killed, and Retry',
	async run(session, check) {
		await Promise.all(session.workers.map(async (worker) => await worker.stop()));
		const runs: Run[] = [];
		let killed = 0;
		for (let round = 0; round < WORKERS; round++) {
			const some = await prepare(session, round);
			killed += await killDuring(session, some, (round / WORKERS) * LONGEST_MS);
			runs.push(...some);
		}
		const paidBefore = runs.flatMap(({ customer }) => paidOrders(session, customer)).length;
		await runningWorkers(session, 2);
		await sleep(STALLED_FOUND_MS);
		const retried = new Map<Run, FinishedRun>();
		const waiting = [...runs];
		const work = async () => {
			for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
				retried.set(run, await retryFailed(session, run));
			}
		};
		await Promise.all(Array.from({ length: RETRIED_AT_ONCE }, work));

		await check(`${WORKERS} workers are killed during ${killed} executions`, () => {
			expect(killed > runs.length / 2, 'most had ended before');
			expect(paidBefore > 0 && paidBefore < runs.length * PURCHASES, `${paidBefore} were paid`);
		});
		await check('Retry pays nothing twice', () => {
			const wrong = runs.filter(({ customer, kind }) => {
				const paid = paidOrders(session, customer);
				return paid.length > PURCHASES || (kind !== 'orders' && new Set(paid).size < paid.length);
			});
			expectEqual(wrong.length, 0, `executions that paid twice (${excerpt(wrong)})`);
		});
		await check('Retry buys what was missing, or says what may have been bought', () => {
			for (const [{ customer, kind }, { saved, status }] of retried) {
				const paid = paidOrders(session, customer).length;
				const error = at(saved, 'data', 'resultData', 'error');
				const said = JSON.stringify(error ?? '');
				const isSaid = status !== 'success' && /may have been|sent the same/.test(said);
				expect(paid === PURCHASES || isSaid, `${kind}: ${paid} paid, ${status}, ${excerpt(error)}`);
			}
		});
	},
};
