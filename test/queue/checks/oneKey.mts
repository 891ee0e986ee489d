import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at } from '../../../harness/outsideData.mts';
import { newCustomer, type Customer } from '../customer.mts';
import { CREATE, EXTRACT_COUNTED, GET_BALANCE, GET_ORDERS, RENEW } from '../operations.mts';
import { runningWorkers, type QueueSession } from '../session.mts';
import { serve, type RunAnswer, type Served } from '../webhook.mts';
import { startedBy } from '../workerLog.mts';

const WORKERS = 4;
const AT_A_TIME = 40;
const RENEWALS = 30;

/** One operation that is called again and again. */
interface Errand {
	readonly name: 'balance' | 'orders' | 'counted proxies' | 'create' | 'renew';
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly calls: number;
	/** How many items come out of a success, at least. */
	readonly itemCount: number;
	readonly signsWithToken?: true;
	/** The order that a call is about. */
	orderOf?(customer: Customer, call: number): string;
}

const ERRANDS: readonly Errand[] = [
	{ name: 'balance', parameters: GET_BALANCE, calls: 30, itemCount: 1 },
	{
		name: 'orders',
		parameters: GET_ORDERS,
		calls: 10,
		itemCount: RENEWALS,
		// So that the search for secrets has tokens to look for
		signsWithToken: true,
	},
	{
		name: 'counted proxies',
		parameters: EXTRACT_COUNTED,
		calls: 20,
		itemCount: EXTRACT_COUNTED.num,
		orderOf: ({ privateProxies }) => privateProxies.orderId,
	},
	{ name: 'create', parameters: CREATE, calls: 10, itemCount: 1 },
	{
		name: 'renew',
		parameters: RENEW,
		calls: RENEWALS,
		itemCount: 1,
		orderOf: ({ tunnels }, call) => tunnels[call].orderId,
	},
];

/** One of the calls, before and after it. */
interface LoadCall {
	readonly errand: Errand;
	readonly orderid: string | undefined;
	readonly webhook: Served;
	answer: RunAnswer | Error | undefined;
}

/** One webhook for each errand, and all calls of it; neighbors are of different errands. */
async function prepareLoad(
	session: QueueSession,
	customer: Customer,
): Promise<readonly LoadCall[]> {
	const calls: LoadCall[] = [];
	for (const errand of ERRANDS) {
		const title = `${customer.name} ${errand.name}`;
		const credential = errand.signsWithToken ? customer.tokenCredential : customer.credential;
		const webhook = await serve(session, title, errand.parameters, credential);
		for (let call = 0; call < errand.calls; call++) {
			const orderid = errand.orderOf?.(customer, call);
			calls.push({ errand, orderid, webhook, answer: undefined });
		}
	}
	// A step that shares no divisor with the length visits every place once
	const step = 59;
	return calls.map((_call, number) => calls[(number * step) % calls.length]);
}

/** Makes all calls, so many at a time; their answers are written into them. */
async function runLoad(calls: readonly LoadCall[]): Promise<void> {
	const left = [...calls];
	const work = async () => {
		for (let call = left.shift(); call; call = left.shift()) {
			const { orderid, webhook } = call;
			call.answer = await webhook
				.call({ orderid })
				.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
		}
	};
	await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

function itemsOf({ answer }: LoadCall): readonly unknown[] {
	return answer === undefined || answer instanceof Error ? [] : answer.items;
}

/** What came of it; a failed run answers with HTTP status 500. */
function inWords({ errand, answer }: LoadCall): string {
	const outcome = answer instanceof Error ? answer.message : String(answer?.status);
	return `${errand.name} ${outcome}`;
}

/** All at once with one key pair, on workers that know nothing of each other. */
export const oneKey: CheckGroup<QueueSession> = {
	name: 'One key, four workers',
	async run(session, check) {
		const { sandbox } = session;
		const workers = await runningWorkers(session, WORKERS);
		const customer = await newCustomer(session, RENEWALS);
		const calls = await prepareLoad(session, customer);
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		await runLoad(calls);
		const tookPart = workers.map((worker, at) => startedBy(worker).length - startedBefore[at]);
		const named = (wanted: Errand['name']) =>
			calls.filter(({ errand: { name } }) => name === wanted);
		const [created, renewed] = [named('create'), named('renew')];
		const extractions = named('counted proxies');

		await check(
			`${calls.length} executions on ${WORKERS} workers (${tookPart.join(', ')}) with one key all succeed`,
			() => {
				expect(
					tookPart.every((count) => count > 0),
					'a worker did nothing, so nothing is proved',
				);
				for (const call of calls) {
					const isWhole = itemsOf(call).length >= call.errand.itemCount;
					expect(isWhole, `it failed, or items are missing: ${inWords(call)}`);
				}
			},
		);
		await check(
			`${created.length} orders are placed and ${renewed.length} renewed, and each is paid once`,
			() => {
				const told = [...created, ...renewed].map((call) => {
					const orderid = at(itemsOf(call), 0, 'orderid');
					if (call.orderid !== undefined) expectEqual(orderid, call.orderid, 'the renewed order');
					return `${call.errand.name} ${String(orderid)}`;
				});
				const keys = [customer.account, ...customer.tunnels].map((owner) => owner.keys.secretId);
				const paid = sandbox.ledger
					.entries()
					.filter(({ secretId }) => keys.includes(secretId))
					.map(({ kind, orderId }) => `${kind} ${orderId}`);
				expectEqual(new Set(told).size, told.length, 'the number of different purchases');
				expectEqual(paid.sort().join(), told.sort().join(), 'what was paid');
			},
		);
		await check(`Every proxy that ${extractions.length} extractions used up came out`, () => {
			const addresses = extractions.flatMap(itemsOf).map((item) => at(item, 'address'));
			expectEqual(new Set(addresses).size, addresses.length, 'the number of different proxies');
			const { orderId } = customer.privateProxies;
			expectEqual(sandbox.extractions.total({ orderId }), addresses.length, 'what was used up');
		});
	},
};
