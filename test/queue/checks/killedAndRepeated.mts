import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { KUAIDAILI } from '../../../harness/realN8n/workflows.mts';
import { newCustomer, type Customer } from '../customer.mts';
import { CREATE, RENEW, RENEW_IF_EXPIRING } from '../operations.mts';
import { STALLED_FOUND_MS, type QueueSession } from '../session.mts';
import { serve, type RunAnswer, type Served } from '../webhook.mts';
import { runningOn, startedBy } from '../workerLog.mts';

const WORKERS = 200;
/** While so many take executions, one of them is killed; others start meanwhile, which takes longest. */
const READY = 2;
const STARTING = 2;
/** So many executions are begun for each worker that is killed; it has some of them. */
const RUNS = 6;
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
		const webhook = await serve(session, name, parameters, customer.credential, true);
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

/** Starts a worker in place of each one that is killed. */
class Replacements {
	private readonly starting = new Set<Promise<unknown>>();

	constructor(private readonly session: QueueSession) {}

	startOne(): void {
		const start = this.session.startWorker().finally(() => this.starting.delete(start));
		this.starting.add(start);
	}

	/** Waits until so many workers take executions. */
	async untilReady(count: number): Promise<void> {
		const isShort = () =>
			this.session.workers.filter((worker) => worker.isRunning()).length < count;
		while (isShort() && this.starting.size > 0) await Promise.race(this.starting);
	}
}

/**
 * Begins the executions, on whichever workers are free, and kills the one that has most of them a while after their
 * first payment.
 *
 * @returns how many executions it had
 */
async function killDuring(session: QueueSession, runs: readonly Run[], afterMs: number) {
	// Whether the caller of the webhook gets an answer is n8n's affair
	for (const run of runs) start(run).catch(() => undefined);
	const isPaid = () => runs.some(({ customer }) => paidOrders(session, customer).length > 0);
	const giveUpAt = Date.now() + BEGUN_LIMIT_MS;
	while (!isPaid() && Date.now() < giveUpAt) await sleep(LOOK_EVERY_MS);
	await sleep(afterMs);
	const busy = session.workers
		.filter((worker) => worker.isRunning())
		.map((worker) => ({ worker, running: runningOn(worker).length }));
	const [victim] = busy.sort((one, other) => other.running - one.running);
	await victim.worker.kill();
	return victim.running;
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
 * Presses 'Retry' where the execution has failed, once more where that fails as well.
 *
 * @returns whether 'Retry' came to the node
 */
async function retry({ n8n }: QueueSession, { webhook: { workflowId } }: Run): Promise<boolean> {
	let [last] = await n8n.runsOf(workflowId, 1);
	let hasRun = false;
	// n8n counts a retry that came to no node as finished, and retries it no more
	const hasFailed = () => last.status !== 'success' && at(last.saved, 'finished') !== true;
	for (let count = 0; count < RETRIES && hasFailed(); count++) {
		last = await n8n.retryRun(last);
		hasRun ||= at(last.saved, 'data', 'resultData', 'runData', KUAIDAILI) !== undefined;
	}
	return hasRun;
}

/** Starts it anew, as a schedule does. @returns what came back, or why nothing did */
async function startAgain(run: Run): Promise<string> {
	return await start(run).then(
		({ status }) => `status ${status}`,
		(error: unknown) => String(error),
	);
}

/** Workers that are killed at any step of purchases, whose executions somebody repeats. */
export const killedAndRepeated: CheckGroup<QueueSession> = {
	name: 'Workers that are killed, and repetitions',
	async run(session, check) {
		// What they have compiled is written down when they end
		await Promise.all(session.workers.map(async (worker) => await worker.stop()));
		const replacements = new Replacements(session);
		for (let count = 0; count < READY + STARTING; count++) replacements.startOne();
		const runs: Run[] = [];
		let killed = 0;
		let next = prepare(session, 0);
		for (let round = 0; round < WORKERS; round++) {
			const some = await next;
			if (round + 1 < WORKERS) next = prepare(session, round + 1);
			await replacements.untilReady(READY);
			killed += await killDuring(session, some, (round / WORKERS) * LONGEST_MS);
			runs.push(...some);
			replacements.startOne();
		}
		const paidBefore = runs.flatMap(({ customer }) => paidOrders(session, customer)).length;
		await replacements.untilReady(READY + STARTING);
		await sleep(STALLED_FOUND_MS);
		const waiting = [...runs];
		let retried = 0;
		const brokenOff: unknown[] = [];
		const startedAgain = new Map<Run, string>();
		const work = async () => {
			for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
				const hasRun = await retry(session, run).catch((error: unknown) => brokenOff.push(error));
				if (hasRun === true) retried += 1;
				if (run.parameters === RENEW_IF_EXPIRING) startedAgain.set(run, await startAgain(run));
			}
		};
		await Promise.all(Array.from({ length: REPEATED_AT_ONCE }, work));

		// How often 'Retry' comes to the node is n8n's affair
		const title = `${WORKERS} workers are killed during ${killed} executions; 'Retry' ran the node in ${retried}`;
		await check(title, () => {
			expect(killed > WORKERS / 2, 'most had ended before');
			expect(paidBefore > 0 && paidBefore < runs.length * PURCHASES, `${paidBefore} were paid`);
			const isRare = brokenOff.length < runs.length / 20;
			expect(isRare, `${brokenOff.length} retries broke off, such as ${String(brokenOff[0])}`);
		});
		await check('No execution is begun a second time', () => {
			const begun = session.workers.flatMap(startedBy);
			expectEqual(new Set(begun).size, begun.length, 'the number of executions');
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
			const short = [...startedAgain].flatMap(([{ customer }, outcome]) => {
				const paid = paidOrders(session, customer).length;
				return paid >= PURCHASES - 1 ? [] : [`${paid} of ${PURCHASES} renewed, ${outcome}`];
			});
			expect(short.length === 0, `${short.length} of ${startedAgain.size}: ${short.join('; ')}`);
		});
	},
};
