import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { runTrial } from '../../../harness/realN8n/trialWorkflow.mts';
import { useCredential } from '../../../harness/credentials.mts';
import { credentialOf, type KeyName } from '../keys.mts';
import type { E2eSession } from '../session.mts';
import type { OperationCase } from './operationCase.mts';

const NODE = 'Kuaidaili';

/** Runs a workflow with the node, and proves what came out of it in n8n and at the service. */
export async function tryOperation(
	{ n8n, sandbox }: E2eSession,
	{ resource, operation, key, order, parameters, path, payments = 0, prove }: OperationCase,
): Promise<void> {
	const { log, ledger, store, keys } = sandbox;
	const orderNumber = (name: KeyName) => store.order(keys[name].secretId).orderId;
	const account = store.account(keys.account.secretId);
	const before = {
		requests: log.count(),
		payments: ledger.count(),
		balanceInFen: account.balanceInFen,
	};
	const run = await runTrial(n8n, {
		name: NODE,
		type: 'n8n-nodes-kuaidaili.kuaidaili',
		typeVersion: 1,
		parameters: {
			resource,
			operation,
			...(order && { orderid: { __rl: true, mode: 'list', value: orderNumber(order) } }),
			...parameters,
		},
		credentials: useCredential(credentialOf(key)),
	});

	const items = itemsOf(run, NODE);
	for (const item of items) {
		const source = at(item, 'pairedItem', 'item');
		expect(source === 0, `an item is not linked to its input item: ${excerpt(item)}`);
	}
	// A busy machine blurs the pace; the node then waits and asks again.
	const requests = log
		.entries()
		.slice(before.requests)
		.filter((each) => !each.refusedByRateLimit);
	const refused = requests.filter(({ code, status }) => code !== 0 || status !== 200);
	expect(refused.length === 0, `the service refused ${excerpt(refused)}`);
	const [request, ...more] = requests.filter((each) => each.path === path);
	if (request === undefined) throw new Error(`${path} was not asked`);
	expectEqual(more.length, 0, `the number of further requests to ${path}`);

	const paid = ledger.entries().slice(before.payments);
	expectEqual(paid.length, payments, 'the number of payments');
	const amounts = paid.map(({ amountInFen }) => amountInFen);
	expect(!amounts.includes(0), 'a payment is for nothing');
	expectEqual(
		before.balanceInFen - account.balanceInFen,
		amounts.reduce((sum, amount) => sum + amount, 0),
		'what the balance lost',
	);

	const task = at(run.saved, 'data', 'resultData', 'runData', NODE, 0);
	const hints = at(task, 'hints') === undefined ? [] : readList(task, 'hints');
	prove({
		records: items.map((item) => at(item, 'json')),
		hints: hints.map((hint) => at(hint, 'message')),
		request,
		payments: paid,
	});
}
