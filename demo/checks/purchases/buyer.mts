import {
	newAccount,
	newTunnelProxyOrder,
	type Account,
	type KeyPair,
	type LoggedRequest,
	type Payment,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { credentialData, newCredential, useCredential } from '../../../harness/credentials.mts';
import type { FinishedRun, RestClient } from '../../../harness/realN8n/index.mts';
import type { Session } from '../../session.mts';
import {
	runTrial,
	type NodeSettings,
	type TrialRun,
} from '../../../harness/realN8n/trialWorkflow.mts';
import type { SpendingOperation } from './purchaseCase.mts';

const BALANCE_IN_FEN = 1_000_000_00;

/** One for all: the search for secrets then looks for one text instead of hundreds. */
const SECRET_KEY = 'secret-key-of-every-buyer';

export const BUYING_NODE = 'Kuaidaili';

export interface BuyingRun extends TrialRun {
	readonly options?: Readonly<Record<string, unknown>>;
	readonly settings?: NodeSettings;
}

let lastBuyer = 0;

/**
 * Somebody with an account (or an order) and a credential of their own: the node keeps the pace per
 * key, so runs with different keys do not wait for each other.
 */
export async function newBuyer(
	{ n8n }: Session,
	sandbox: Sandbox,
	operation: SpendingOperation,
	signType: 'hmacsha1' | 'token' = 'hmacsha1',
): Promise<Buyer> {
	const name = `buyer-${++lastBuyer}`;
	const keysOf = (what: string) => ({ secretId: `${name}-${what}`, secretKey: SECRET_KEY });
	const { store, clock, hosts } = sandbox;
	const account = store.addAccount(
		newAccount(name, { keys: keysOf('account'), balanceInFen: BALANCE_IN_FEN }),
	);
	const order = store.addOrder(
		newTunnelProxyOrder(name, account, clock.now(), { keys: keysOf('order') }),
	);
	const { keys } = operation.keyType === 'account' ? account : order;
	const data = credentialData(hosts, keys, operation.keyType, signType);
	const id = await n8n.createCredential(newCredential(name, data));
	return new Buyer(n8n, sandbox, operation, account, keys, { id, name });
}

export class Buyer {
	constructor(
		private readonly n8n: RestClient,
		private readonly sandbox: Sandbox,
		private readonly operation: SpendingOperation,
		private readonly account: Account,
		private readonly keys: KeyPair,
		private readonly credential: { readonly id: string; readonly name: string },
	) {}

	/** Lets n8n run a workflow that buys once for each item. */
	async buy({ options = {}, settings, ...run }: BuyingRun): Promise<FinishedRun> {
		const { name: operation, parameters } = this.operation;
		const node = {
			name: BUYING_NODE,
			type: 'n8n-nodes-kuaidaili.kuaidaili',
			typeVersion: 1,
			parameters: {
				resource: 'order',
				operation,
				...parameters,
				// The preset of Order: Create is 1
				options: { maxOrdersPerRun: 10, ...options },
			},
			credentials: useCredential(this.credential),
			settings,
		};
		return await runTrial(this.n8n, node, run);
	}

	/** Of the operation; fetching a token is another request. */
	requests(): readonly LoggedRequest[] {
		return this.sandbox.log
			.entries(this.operation.path)
			.filter(({ parameters }) => parameters.secret_id === this.keys.secretId);
	}

	payments(): readonly Payment[] {
		return this.sandbox.ledger.entries().filter(({ secretId }) => secretId === this.keys.secretId);
	}

	spentInFen(): number {
		return BALANCE_IN_FEN - this.account.balanceInFen;
	}
}
