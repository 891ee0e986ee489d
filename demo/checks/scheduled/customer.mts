import {
	newAccount,
	newTunnelProxyOrder,
	type Account,
	type Order,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { openSandbox } from '../../../harness/realN8n/index.mts';
import { credentialData, newCredential } from '../../../harness/credentials.mts';
import {
	readExample,
	withInputs,
	withCredential,
	type ExampleName,
	type Inputs,
	type Workflow,
} from '../../examples.mts';
import type { Session } from '../../session.mts';
import { expect } from '../../../harness/checks/checks.mts';
import { until } from '../until.mts';

const DAY_MS = 86_400_000;
const LOOK_LIMIT_MS = 30_000;

/**
 * Somebody with an account at a service of their own, in which time can be moved, and with a copy of an
 * example that uses it.
 */
export interface Customer {
	readonly sandbox: Sandbox;
	readonly account: Account;
	/** Four tunnel orders that end in 2, 10, 20 and 40 days. */
	readonly orders: readonly Order[];
	/** The id of the workflow in n8n. */
	readonly workflowId: string;
	/** Brings the end of all orders nearer. */
	passDays(days: number): void;
	/**
	 * The id of another copy of the workflow. In the days that pass here within seconds, a manual run would take the
	 * next renewal of the same order in the same node for a double click.
	 */
	importAgain(inputs?: Partial<Inputs>): Promise<string>;
}

let lastCustomer = 0;

/** @param adapt changes what would take too long */
export async function newCustomer(
	session: Session,
	example: ExampleName,
	adapt: (workflow: Workflow) => Workflow = (workflow) => workflow,
): Promise<Customer> {
	const sandbox = await openSandbox({
		catalogueSize: 1,
		forwardProxies: false,
	});
	session.moreSandboxes.push(sandbox);

	const { store, clock, hosts } = sandbox;
	const name = `customer-${++lastCustomer}`;
	// The node keeps the pace per key, and other checks use the ready-made one
	const keys = { secretId: name, secretKey: `secret-key-of-${name}` };
	const account = store.addAccount(newAccount(name, { keys, balanceInFen: 1000_00 }));
	const orders = [2, 10, 20, 40].map((days, index) =>
		store.addOrder(
			newTunnelProxyOrder(`${name}-tunnel-${index}`, account, clock.now(), {
				expiresAt: new Date(clock.milliseconds() + days * DAY_MS),
			}),
		),
	);

	const data = credentialData(hosts, account.keys, 'account', 'hmacsha1');
	const id = await session.n8n.createCredential(newCredential(name, data));
	const workflow = withInputs(withCredential(await readExample(example), { id, name }), {
		...session.inputs,
		tunnelOrder: orders[0].orderId,
	});
	const importAgain = async (inputs: Partial<Inputs> = {}) =>
		await session.n8n.createWorkflow(withInputs(adapt(workflow), inputs));
	const workflowId = await importAgain();
	return {
		sandbox,
		account,
		orders,
		workflowId,
		importAgain,
		passDays(days) {
			// Not by the clock of the service: n8n would keep its own, and the node decides by that
			for (const order of orders) {
				if (order.expiresAt === undefined) continue;
				order.expiresAt = new Date(order.expiresAt.getTime() - days * DAY_MS);
			}
		},
	};
}

/** How much longer each order lasts, in whole days. */
export function daysLeft({ sandbox, orders }: Customer): number[] {
	const now = sandbox.clock.milliseconds();
	return orders.map(({ expiresAt }) => Math.floor(((expiresAt?.getTime() ?? NaN) - now) / DAY_MS));
}

/**
 * Switches the workflow on and waits until its trigger has looked: it does so at
 * once, but n8n answers before that.
 *
 * @param path of the endpoint that the trigger asks
 */
export async function switchOn(
	{ n8n }: Session,
	{ sandbox, workflowId }: Customer,
	path: string,
): Promise<void> {
	const before = sandbox.log.count(path);
	await n8n.activate(workflowId);
	const isAsked = () => sandbox.log.count(path) > before;
	const hasLooked = await until(isAsked, AbortSignal.timeout(LOOK_LIMIT_MS));
	expect(hasLooked, 'the trigger did not look');
}
