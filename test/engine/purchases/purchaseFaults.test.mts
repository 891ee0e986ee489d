import { credentialData } from '../../../harness/credentials.mts';
import {
	newAccount,
	newTunnelProxyOrder,
	startSandbox,
	type Fault,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { until } from '../../virtualTime.mts';
import { Engine, type RunResult } from '../support/engine.mts';
import { type Case, CASES, type Operation } from './purchaseTroubles.mts';

/** Lets `before` requests pass, then sets the fault for one call. The pace of 1 per second leaves time. */
async function troubleAfter(
	sandbox: Sandbox,
	{ path }: Operation,
	fault: Fault,
	before: number,
	runEnded: () => boolean,
) {
	const answered = () =>
		sandbox.log.entries(path).filter(({ outcome }) => outcome === 'answered').length;
	await until(() => answered() >= before || runEnded(), 120_000);
	sandbox.faults.add({ ...fault, path, times: 1 });
}

let lastCase = 0;

/**
 * Keys of its own for each case: the node keeps the pace per key in the whole process, so cases with
 * one key would wait for each other. Several items renew one order each.
 */
function prepare({ store, clock }: Sandbox, { name }: Operation, itemCount: number) {
	const owner = `money-${++lastCase}`;
	const account = store.addAccount(newAccount(owner, { balanceInFen: 1_000_000_00 }));
	const numbers = Array.from({ length: itemCount }, (_none, n) => n);
	const orders = numbers.map((n) =>
		name === 'renew'
			? store.addOrder(newTunnelProxyOrder(`${owner}-order-${n}`, account, clock.now()))
			: undefined,
	);
	const [only] = itemCount === 1 ? orders : [];
	return {
		credential: only?.keys ?? account.keys,
		keyType: only === undefined ? ('account' as const) : ('order' as const),
		items: numbers.map((n) => ({ n, order: orders[n]?.orderId })),
		orderid:
			only === undefined ? { __rl: true, mode: 'code', value: '={{ $json.order }}' } : undefined,
	};
}

async function runCase([operation, trouble, , settings, itemCount]: Case) {
	const sandbox = await startSandbox({
		seed: 1,
		catalogueSize: 1,
		forwardProxies: false,
		// So many cases at once blur the pace that the sandbox sees; other tests are about that
		rateLimits: false,
	});
	try {
		const engine = new Engine();
		const { credential, keyType, items, orderid } = prepare(sandbox, operation, itemCount);
		const credentialId = engine.addCredential(credentialData(sandbox.hosts, credential, keyType));
		if (trouble.looksFail === true) {
			sandbox.faults.add({ kind: 'status', status: 503, path: operation.looks });
		}
		const troubled = itemCount === 1 ? 0 : 1;
		let hasEnded = false;
		const [result] = await Promise.all([
			engine
				.run({
					credentialId,
					items,
					parameters: {
						resource: 'order',
						operation: operation.name,
						...operation.parameters,
						...(orderid === undefined ? {} : { orderid }),
						// Short for the one that hangs alone: on a busy machine others may need longer
						options: {
							maxOrdersPerRun: 10,
							timeout: `={{ $json.n === ${troubled} && ${trouble.fault.kind === 'hang'} ? 3 : 60 }}`,
						},
					},
					settings,
				})
				.finally(() => (hasEnded = true)),
			troubleAfter(sandbox, operation, trouble.fault, troubled, () => hasEnded),
		]);
		return {
			result,
			paid: sandbox.ledger.count(),
			orders: sandbox.ledger.entries().map(({ orderId }) => orderId),
			requests: sandbox.log.count(operation.path),
		};
	} finally {
		await sandbox.close();
	}
}

function outcomeOf({ items, error }: RunResult, itemIndex: number): 'success' | 'error' | 'none' {
	const item = items.find(({ pairedItem }) =>
		typeof pairedItem === 'object' && !Array.isArray(pairedItem)
			? pairedItem.item === itemIndex
			: false,
	);
	if (item !== undefined) return 'error' in item.json ? 'error' : 'success';
	return error?.context?.itemIndex === itemIndex ? 'error' : 'none';
}

function textOfError({ items, error }: RunResult): string {
	const failed = items.find(({ json }) => 'error' in json);
	return failed === undefined
		? `${error?.message}. ${error?.description}`
		: String(failed.json.error);
}

// Hundreds of runs side by side: on a busy machine each of them takes its time
jest.setTimeout(600_000);

it.concurrent.each(
	CASES.map((each) => [each[0].name, each[1].name, each[2], each[4], each] as const),
)(
	'%s, %s, %s, %i items: paid once at most, and nothing lost',
	async (_operation, _trouble, _settings, itemCount, theCase) => {
		const [operation, trouble, , settings] = theCase;
		const { result, paid, orders, requests } = await runCase(theCase);
		const troubled = itemCount === 1 ? 0 : 1;
		const isDone = trouble.outcome !== 'unclear';
		const goesOn = settings.onError !== undefined || isDone;
		const others = itemCount === 1 ? 0 : goesOn ? 2 : 1;

		expect(paid).toBe(trouble.paid + others);
		expect(requests).toBe(trouble.requests + others);
		expect(outcomeOf(result, troubled)).toBe(isDone ? 'success' : 'error');
		const verified = result.items.filter(({ json }) => json.verified === true);
		expect(verified.map(({ pairedItem }) => pairedItem)).toEqual(
			trouble.outcome === 'verified' ? [{ item: troubled }] : [],
		);
		if (trouble.outcome === 'unclear') {
			const text = textOfError(result);
			expect(text).toMatch(operation.unclear);
			expect(text).toMatch(operation.whereToLook);
			expect(text).toMatch(
				new RegExp(`item ${troubled} at \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2} \\(`),
			);
			expect(text).not.toMatch(/retry on fail/i);
		}
		// Every order that was paid without trouble is in the output, or in the text of the error
		const shown = `${JSON.stringify(result.items)} ${textOfError(result)}`;
		const certain = orders.filter((_order, index) => index !== troubled || isDone);
		for (const orderId of certain) expect(shown).toContain(orderId);
		if (isDone) expect(result.items.map(({ json }) => json.orderid)).toEqual(orders);
	},
);
