import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { excerpt } from '../../../harness/outsideData.mts';
import { newCustomer, seenByService, type Customer } from '../customer.mts';
import { CREATE, RENEW } from '../operations.mts';
import { oneWorker, STALLED_FOUND_MS, type QueueSession } from '../session.mts';
import { serve, type Served } from '../webhook.mts';
import { runningOn, startedBy } from '../workerLog.mts';

const PURCHASES = 10;
/** So many are over when the worker is killed during the next one. */
const BEFORE = 4;
const HOLD_MS = 10_000;
const ARRIVAL_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 50;

const CREATE_TEN = { ...CREATE, options: { maxOrdersPerRun: PURCHASES } };

type Kind = 'renewals' | 'orders';

/** What becomes of the purchase during which the worker is killed. */
type Fate = 'money taken first' | 'money taken last' | 'never carried out';

const SITUATIONS: ReadonlyArray<[kind: Kind, fate: Fate]> = [
	['renewals', 'money taken first'],
	['renewals', 'money taken last'],
	['renewals', 'never carried out'],
	['orders', 'money taken first'],
	['orders', 'money taken last'],
	['orders', 'never carried out'],
];

const PARAMETERS: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
	renewals: RENEW,
	orders: CREATE_TEN,
};

/** Ten purchases in one execution. */
interface LongRun {
	readonly name: string;
	readonly kind: Kind;
	readonly fate: Fate;
	readonly path: string;
	readonly customer: Customer;
	readonly webhook: Served;
}

async function prepare(session: QueueSession): Promise<readonly LongRun[]> {
	const runs: LongRun[] = [];
	for (const [kind, fate] of SITUATIONS) {
		const customer = await newCustomer(session, kind === 'orders' ? 1 : PURCHASES);
		const name = `${kind}, ${fate}`;
		const path = kind === 'orders' ? '/api/createorder' : '/api/reneworder';
		const webhook = await serve(session, `Ten ${name}`, PARAMETERS[kind], customer.credential, {
			hasItems: true,
			onError: 'continueRegularOutput',
		});
		runs.push({ name, kind, fate, path, customer, webhook });
	}
	return runs;
}

function keysOf({ account, tunnels }: Customer): string[] {
	return [account, ...tunnels].map(({ keys }) => keys.secretId);
}

/** Starts the purchases, and waits until the one that is held has arrived at the service. */
async function buyAndHold(session: QueueSession, run: LongRun): Promise<void> {
	const { sandbox } = session;
	const { customer, fate, path, webhook } = run;
	const orders = Array.from({ length: PURCHASES }, (_none, index) => ({
		body: { orderid: customer.tunnels[index]?.orderId },
	}));
	// Whether the caller of the webhook gets an answer is n8n's affair
	webhook.call({ orders }).catch(() => undefined);
	await arrived(session, run, BEFORE);
	for (const secretId of keysOf(customer)) {
		const target = { path, secretId, times: 1 };
		if (fate === 'never carried out') {
			sandbox.faults.add({ kind: 'hang', when: 'before', ...target });
		} else {
			const when = fate === 'money taken last' ? 'before' : 'after';
			sandbox.faults.add({ kind: 'delay', ms: HOLD_MS, when, ...target });
		}
	}
	await arrived(session, run, BEFORE + 1);
}

async function arrived(session: QueueSession, run: LongRun, count: number): Promise<void> {
	const giveUpAt = Date.now() + ARRIVAL_LIMIT_MS;
	while (seenByService(session, run.customer, run.path).requests < count) {
		if (Date.now() > giveUpAt) throw new Error(`Not ${count} requests arrived (${run.name})`);
		await sleep(LOOK_EVERY_MS);
	}
}

/** The order numbers of all payments, the oldest first. */
function paidOrders({ sandbox }: QueueSession, { customer }: LongRun): string[] {
	const keys = keysOf(customer);
	return sandbox.ledger
		.entries()
		.filter(({ secretId }) => keys.includes(secretId))
		.map(({ orderId }) => orderId);
}

/** A worker that is gone without a word in the middle of ten purchases of one execution. */
export const killedInTheMiddle: CheckGroup<QueueSession> = {
	name: 'A worker that is killed in the middle of ten purchases',
	async run(session, check) {
		const { n8n, sandbox, workers } = session;
		const runs = await prepare(session);
		const victim = await oneWorker(session);
		await Promise.all(runs.map(async (run) => await buyAndHold(session, run)));
		const interrupted = runningOn(victim);
		await victim.kill();
		const killedAt = Date.now();
		sandbox.faults.clear();
		const survivor = await session.startWorker();
		const sentBefore = new Map(
			runs.map((run) => [run, seenByService(session, run.customer, run.path).requests]),
		);
		await sleep(Math.max(0, killedAt + STALLED_FOUND_MS - Date.now()));
		const ended = new Map(
			await Promise.all(
				runs.map(async (run) => {
					const [last] = await n8n.runsOf(run.webhook.workflowId, 1);
					return [run, last] as const;
				}),
			),
		);

		await check(
			`A worker is killed during ${runs.length} executions of ${PURCHASES} purchases`,
			() => {
				expectEqual(interrupted.length, runs.length, 'how many it had');
				for (const { name, fate } of runs.filter((run) => sentBefore.get(run) !== BEFORE + 1)) {
					throw new Error(`${name} (${fate}) had not sent ${BEFORE + 1}`);
				}
				const begun = workers.flatMap(startedBy);
				for (const id of interrupted) {
					const times = begun.filter((each) => each === id).length;
					expectEqual(times, 1, `how often execution ${id} was begun`);
				}
				expect(survivor.isRunning(), 'the other worker is gone as well');
			},
		);
		for (const run of runs) {
			const isLost = run.fate === 'never carried out';
			await check(`Ten ${run.name}: n8n ends the execution, and nothing more is paid`, () => {
				const { status } = ended.get(run) ?? {};
				expect(status === 'error' || status === 'crashed', `it ended with ${excerpt(status)}`);
				const paid = paidOrders(session, run);
				expectEqual(paid.length, isLost ? BEFORE : BEFORE + 1, 'the number of payments');
				expectEqual(new Set(paid).size, paid.length, 'the number of paid orders');
			});
		}
	},
};
