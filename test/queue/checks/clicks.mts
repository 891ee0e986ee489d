import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import {
	KUAIDAILI,
	kuaidaili,
	MANUAL_TRIGGER,
	manualWorkflow,
} from '../../../harness/realN8n/workflows.mts';
import { newCustomer, seenByService } from '../customer.mts';
import { CREATE } from '../operations.mts';
import type { QueueSession } from '../session.mts';
import { startedBy } from '../workerLog.mts';

const PAIRS = 500;
/** As many executions as two workers run at once. */
const AT_ONCE = 10;
const MOST_APART_MS = 50;

/** What became of one pair. */
interface Pair {
	readonly apartMs: number;
	readonly payments: number;
	/** Of both clicks. */
	readonly items: readonly unknown[];
	/** How many of the clicks ended with an error. */
	readonly failed: number;
}

/** Two clicks on 'Execute workflow', which n8n 3 runs on any worker. */
async function clickTwice(session: QueueSession, index: number): Promise<Pair> {
	const customer = await newCustomer(session, 0);
	const node = kuaidaili(CREATE, customer.credential);
	const workflow = manualWorkflow(`Clicks ${index}`, [node], { items: [{ n: index }] });
	const id = await session.n8n.createWorkflow(workflow);
	const apartMs = index % (MOST_APART_MS + 1);
	const click = async () => await session.n8n.runWorkflow(id, MANUAL_TRIGGER);
	const runs = await Promise.all([click(), sleep(apartMs).then(click)]);
	const { payments } = seenByService(session, customer, '/api/createorder');
	const succeeded = runs.filter(({ status }) => status === 'success');
	const items = succeeded.flatMap((run) => itemsOf(run, KUAIDAILI));
	return { apartMs, payments, items, failed: runs.length - succeeded.length };
}

/** A person clicks twice, and each click runs on another worker. */
export const clicks: CheckGroup<QueueSession> = {
	name: 'Two clicks, two workers',
	async run(session, check) {
		const { workers } = session;
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		const pairs: Pair[] = [];
		let next = 0;
		const work = async () => {
			while (next < PAIRS) pairs.push(await clickTwice(session, next++));
		};
		await Promise.all(Array.from({ length: AT_ONCE }, work));
		const tookPart = workers.filter(
			(worker, index) => startedBy(worker).length > (startedBefore[index] ?? 0),
		);
		await check(`${PAIRS} pairs of clicks, 0 to ${MOST_APART_MS} ms apart, pay once each`, () => {
			expect(tookPart.length > 1, 'one worker did everything, so nothing is proved');
			const wrong = pairs.filter(({ payments }) => payments !== 1);
			expectEqual(wrong.length, 0, `pairs that paid more than once (${excerpt(wrong)})`);
		});
		await check(
			'One click of a pair tells the order; the other one tells the same, or is refused',
			() => {
				for (const { failed, items } of pairs) {
					expect(failed < 2, 'both clicks of a pair ended with an error');
					const told = items.map((item) => at(item, 'json', 'orderid'));
					expectEqual(new Set(told).size, 1, `the orders that a pair tells (${excerpt(items)})`);
					const created = items.filter((item) => at(item, 'json', 'created') === true);
					expect(created.length > 0, `none says that it created the order (${excerpt(items)})`);
				}
			},
		);
	},
};
