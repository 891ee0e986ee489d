import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import type { Lane } from './lane.mts';
import { heapTrend, mostAtTheEnd, type MemorySample } from './memory.mts';
import type { SoakSession } from './session.mts';

/** Of the lane that goes on without a pause. */
const OPEN_INTERVAL_MS = 200;

/** The proxies of the lane that reuses them live for 5 minutes at most. */
const LONGEST_LIFE_S = 300;
const AT_ONCE_REUSED = 20;
const FEWEST_TIMES_REUSED = 5;

/** Before that, n8n is still loading and compiling, and a trend would say nothing. */
const SHORTEST_JUDGED_S = 600;

export interface Soak {
	readonly session: SoakSession;
	readonly lanes: readonly Lane[];
	readonly samples: readonly MemorySample[];
	readonly seconds: number;
	readonly say: (line: string) => void;
}

export const work: CheckGroup<Soak> = {
	name: 'Work',
	async run({ lanes, session: { sandbox, orders }, seconds }, check) {
		for (const { name, total, failures } of lanes) {
			await check(`${name}: ${total.items} items, none failed`, () => {
				expect(failures.length === 0, `${failures.length} or more runs failed: ${failures[0]}`);
				expect(total.items > 0, 'nothing was done');
			});
		}
		const { secretId } = orders.openSvip.keys;
		const calls = sandbox.log
			.entries('/api/getproxy')
			.filter(({ parameters }) => parameters.secret_id === secretId);
		const allowed = (seconds * 1000) / OPEN_INTERVAL_MS;
		await check(
			`Extractions came at ${((calls.length / allowed) * 100).toFixed(0)} % of the allowed rate (${calls.length} calls)`,
			() =>
				expect(calls.length > allowed / 2, 'that is too little to prove anything about the pace'),
		);
	},
};

export const pages: CheckGroup<Soak> = {
	name: 'Pages',
	async run({ session: { sandbox, orders, server } }, check) {
		const visits = sandbox.pages.visits.entries();
		await check(`All ${visits.length} visits came through a proxy`, () => {
			expect(visits.length > 0, 'no page was opened');
			expectEqual(sandbox.pages.visits.direct().length, 0, 'visits without a proxy');
		});
		const deaths = new Set(sandbox.proxyLog.entries().map(({ died }) => died));
		await check('Proxies died on the way', () => {
			for (const death of ['reset', 'hang'] as const) {
				expect(deaths.has(death), `none died by ${death}, so nothing is proved`);
			}
		});
		await check('No login of a proxy is in the log of n8n', () => {
			const logins = Object.values(orders).flatMap((order) =>
				'login' in order && order.login ? [order.login.password] : [],
			);
			expect(logins.length > 0, 'no order has a login');
			const told = logins.filter((password) => server.log().includes(password));
			expectEqual(told.length, 0, 'the number of passwords in the log');
		});
	},
};

/** All that the service counted, against all that came out of the node. */
export const money: CheckGroup<Soak> = {
	name: 'Money and quota',
	async run({ lanes, session: { sandbox, orders }, seconds }, check) {
		const paid = (kind: 'create' | 'renew') =>
			sandbox.ledger.entries(kind).map(({ orderId }) => orderId);
		const created = lanes.flatMap(({ total }) => total.created);
		await check(`Each of ${created.length} new orders was paid once and renewed once`, () => {
			expect(created.length > 0, 'nothing was bought');
			expectEqual(new Set(created).size, created.length, 'the number of different orders');
			for (const kind of ['create', 'renew'] as const) {
				expectEqual(paid(kind).sort().join(), created.sort().join(), 'the orders that were paid');
			}
		});
		for (const { name, quotaOf, mostSpareShare, total } of lanes) {
			if (quotaOf === undefined) continue;
			const order = orders[quotaOf];
			const counted = sandbox.extractions.total({ orderId: order.orderId });
			const used =
				counted === total.extracted ? counted : `${counted}, and used ${total.extracted},`;
			await check(`${name}: the order was charged for ${used} proxies`, () => {
				const most = total.extracted + Math.ceil(total.extracted * mostSpareShare);
				expect(
					total.extracted <= counted && counted <= most,
					`what Kuaidaili counted: ${counted}, and ${total.extracted} came out`,
				);
				if (order.payType !== 'PRE_PAY_IP' || order.product !== 'DPS') return;
				expectEqual(order.ipBalance, order.ipCount - counted, 'what is left');
			});
		}
		const reused = lanes.find(({ quotaOf }) => quotaOf === 'dpsReused')?.total;
		if (reused === undefined) throw new Error('No lane reuses proxies');
		const times = (reused.items / reused.extracted).toFixed(0);
		await check(`Reused proxies were handed out ${times} times`, () => {
			expect(reused.items >= FEWEST_TIMES_REUSED * reused.extracted, 'that is too seldom');
			const isRefilled = seconds < LONGEST_LIFE_S || reused.extracted > AT_ONCE_REUSED;
			expect(isRefilled, 'none of them was replaced');
		});
	},
};

export const memory: CheckGroup<Soak> = {
	name: 'Memory',
	async run({ samples, seconds, say, session }, check) {
		await check('n8n ran to the end', () => expect(session.server.isRunning(), 'it is gone'));
		if (seconds < SHORTEST_JUDGED_S) {
			say('        The memory is not judged: the run was too short for that.');
			return;
		}
		const trend = heapTrend(samples);
		const { secondQuarter, lastQuarter } = trend;
		await check(
			`The heap of n8n is flat: ${secondQuarter.toFixed(1)} MB in the second quarter, ${lastQuarter.toFixed(1)} MB in the last one (${samples.length} samples after a collection)`,
			() => {
				const most = mostAtTheEnd(trend);
				expect(lastQuarter <= most, `${most.toFixed(1)} MB would have been flat`);
			},
		);
	},
};
