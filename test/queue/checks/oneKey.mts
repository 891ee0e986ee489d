import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at } from '../../../harness/outsideData.mts';
import { newCustomer } from '../customer.mts';
import {
	callsOf,
	inWords,
	isAnswered,
	mixed,
	orderNumberIn,
	runLoad,
	type Errand,
	type LoadCall,
} from '../load.mts';
import { EXTRACT_COUNTED, GET_BALANCE, GET_ORDERS, RENEW } from '../operations.mts';
import { runningWorkers, type QueueSession } from '../session.mts';
import { startedBy } from '../workerLog.mts';

const WORKERS = 4;
const AT_A_TIME = 40;
const RENEWALS = 40;

const ERRANDS: readonly Errand[] = [
	{ name: 'balance', spends: undefined, parameters: GET_BALANCE, calls: 30, itemCount: 1 },
	{ name: 'orders', spends: undefined, parameters: GET_ORDERS, calls: 10 },
	{
		name: 'counted proxies',
		spends: undefined,
		parameters: EXTRACT_COUNTED,
		calls: 20,
		itemCount: EXTRACT_COUNTED.num,
		orderOf: ({ privateProxies }) => privateProxies.orderId,
	},
	{
		name: 'renew',
		spends: 'renew',
		parameters: RENEW,
		calls: RENEWALS,
		itemCount: 1,
		orderOf: ({ tunnels }, call) => tunnels[call].orderId,
	},
];

function itemsOf({ answer }: LoadCall): readonly unknown[] {
	return answer === undefined || answer instanceof Error ? [] : answer.items;
}

/** All at once with one key pair, on workers that know nothing of each other. */
export const oneKey: CheckGroup<QueueSession> = {
	name: 'One key, four workers',
	async run(session, check) {
		const { sandbox } = session;
		const workers = await runningWorkers(session, WORKERS);
		const customer = await newCustomer(session, RENEWALS);
		const calls = mixed(await callsOf(session, customer, ERRANDS));
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		await runLoad(calls, AT_A_TIME);
		const tookPart = workers.map((worker, at) => startedBy(worker).length - startedBefore[at]);
		const renewals = calls.filter(({ errand }) => errand.spends === 'renew');
		const extractions = calls.filter(({ errand }) => errand.parameters === EXTRACT_COUNTED);

		await check(
			`${calls.length} executions on ${WORKERS} workers (${tookPart.join(', ')}) with one key all succeed`,
			() => {
				expect(
					tookPart.every((count) => count > 0),
					'a worker did nothing, so nothing is proved',
				);
				const failed = calls.filter((call) => !isAnswered(call));
				expect(failed.length === 0, `${failed.length} failed: ${failed.map(inWords).join('; ')}`);
				for (const call of calls) {
					const { itemCount = customer.tunnels.length } = call.errand;
					expect(itemsOf(call).length >= itemCount, `items are missing: ${inWords(call)}`);
				}
			},
		);
		await check(`${renewals.length} orders are renewed, and each is paid once`, () => {
			const paid = sandbox.ledger
				.entries('renew')
				.map(({ orderId }) => orderId)
				.filter((orderId) => customer.tunnels.some((tunnel) => tunnel.orderId === orderId));
			expectEqual(
				[...paid].sort().join(),
				customer.tunnels
					.map(({ orderId }) => orderId)
					.sort()
					.join(),
				'the orders that were paid',
			);
			for (const { answer, orderid } of renewals)
				expectEqual(orderNumberIn(answer), orderid, 'the order');
		});
		await check(`Every proxy that ${extractions.length} extractions used up came out`, () => {
			const addresses = extractions.flatMap(itemsOf).map((item) => at(item, 'address'));
			expectEqual(new Set(addresses).size, addresses.length, 'the number of different proxies');
			const { orderId } = customer.privateProxies;
			expectEqual(sandbox.extractions.total({ orderId }), addresses.length, 'what was used up');
		});
	},
};
