import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { KUAIDAILI } from '../../../harness/realN8n/workflows.mts';
import { newCustomer, type Customer } from '../customer.mts';
import { CREATE, RENEW, RENEW_IF_EXPIRING } from '../operations.mts';
import { runningWorkers, STALLED_FOUND_MS, type QueueSession } from '../session.mts';
import { serve, type RunAnswer, type Served } from '../webhook.mts';
import { runningOn } from '../workerLog.mts';

const WORKERS = 20;
/** So many executions run on a worker when it is killed. */
const RUNS = 10;
const PURCHASES = 3;
const BEGUN_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;
/** Within so long, an execution makes its purchases. */
const LONGEST_MS = 5_000;
const REPEATED_AT_ONCE = 10;
const RETRIES = 2;

const CREATE_SOME = { ...CREATE, options: { maxOrdersPerRun: PURCHASES } };

const KINDS = [CREATE_SOME, RENEW, RENEW_IF_EXPIRING] as const;

/** An execution of a customer of its own. */
interface Run {
	readonly parameters: (typeof KINDS)[number];
	readonly customer: Customer;
	readonly webhook: Served;
}

async function prepare(session: QueueSession, round: number): Promise<readonly Run[]> {
	const runs: Run[] = [];
	for (let index = 0; index < RUNS; index++) {
		const parameters = KINDS[(round + index) % KINDS.length];
		const customer = await newCustomer(session, parameters === CREATE_SOME ? 0 : PURCHASES);
		const name = `Killed ${round} ${index}`;
		const differences = { hasItems: true };
		const webhook = await serve(session, name, parameters, customer.credential, differences);
		runs.push({ parameters, customer, webhook });
	}
	return runs;
}

async function start({ customer, webhook }: Run): Promise<RunAnswer> {
	const orders = Array.from({ length: PURCHASES }, (_none, index) => ({
		body: { orderid: customer.tunnels[index]?.orderId, index },
	}));
	return await webhook.call({ orders });
}

/** Lets a worker that is alone begin the executions, and kills it a while after its first payment. */
async function killDuring(session: QueueSession, runs: readonly Run[], afterMs: number) {
	const [worker] = await runningWorkers(session, 1);
	// Whether the caller of the webhook gets an answer is n8n's affair
	for (const run of runs) start(run).catch(() => undefined);
	// A worker that has just started takes a while until its first execution comes to the node
	const isPaid = () => runs.some(({ customer }) => paidOrders(session, customer).length > 0);
	const giveUpAt = Date.now() + BEGUN_LIMIT_MS;
	while (!isPaid() && Date.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
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

/**
 * Presses 'Retry' where the execution has failed, once more where that fails as well, and starts it anew where a
 * condition decides.
 *
 * @returns whether 'Retry' came to the node
 */
async function repeat({ n8n }: QueueSession, run: Run): Promise<boolean> {
	let [last] = await n8n.runsOf(run.webhook.workflowId, 1);
	let hasRun = false;
	// n8n counts a retry that came to no node as finished, and retries it no more
	const hasFailed = () => last.status !== 'success' && at(last.saved, 'finished') !== true;
	for (let retry = 0; retry < RETRIES && hasFailed(); retry++) {
		last = await n8n.retryRun(last);
		hasRun ||= at(last.saved, 'data', 'resultData', 'runData', KUAIDAILI) !== undefined;
	}
	if (run.parameters === RENEW_IF_EXPIRING) await start(run);
	return hasRun;
}

/** Workers that are killed at any step of purchases, whose executions somebody repeats. */
export const killedAndRepeated: CheckGroup<QueueSession> = {
	name: 'Workers that are killed, and repetitions',
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
		const waiting = [...runs];
		let retried = 0;
		const work = async () => {
			for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
				if (await repeat(session, run)) retried += 1;
			}
		};
		await Promise.all(Array.from({ length: REPEATED_AT_ONCE }, work));

		// How often 'Retry' comes to the node is n8n's affair
		const title = `${WORKERS} workers are killed during ${killed} executions; 'Retry' ran the node in ${retried}`;
		await check(title, () => {
			expect(killed > runs.length / 4, 'most had ended before');
			expect(paidBefore > 0 && paidBefore < runs.length * PURCHASES, `${paidBefore} were paid`);
		});
		await check('Nothing is paid twice', () => {
			const wrong = runs.filter(({ customer, parameters }) => {
				const paid = paidOrders(session, customer);
				const isOfOrders = parameters !== CREATE_SOME;
				return paid.length > PURCHASES || (isOfOrders && new Set(paid).size < paid.length);
			});
			expectEqual(wrong.length, 0, `executions that paid twice (${excerpt(wrong)})`);
		});
		await check('By a condition, the next run renews all but the one that was under way', () => {
			for (const { customer, parameters } of runs) {
				if (parameters !== RENEW_IF_EXPIRING) continue;
				const paid = paidOrders(session, customer).length;
				expect(paid >= PURCHASES - 1, `${paid} of ${PURCHASES} were renewed`);
			}
		});
	},
};
