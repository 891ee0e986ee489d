import {
	newAccount,
	type Account,
	type LoggedRequest,
	type Payment,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import { credentialData, newCredential } from '../../harness/credentials.mts';
import type { FinishedRun, RestClient } from '../../harness/realN8n/index.mts';
import type { Session } from '../session.mts';
import { kuaidaili, runTrial, type TrialRun } from '../../harness/realN8n/workflows.mts';

const BALANCE_IN_FEN = 1_000_000_00;

/** One for all: the search for secrets then looks for one text instead of hundreds. */
const SECRET_KEY = 'secret-key-of-every-buyer';

export const CREATE_ORDER = '/api/createorder';

let lastBuyer = 0;

/**
 * Somebody with an account and a credential of their own: the node keeps the pace per key, so runs with different
 * keys do not wait for each other.
 */
export async function newBuyer({ n8n }: Session, sandbox: Sandbox): Promise<Buyer> {
	const name = `buyer-${++lastBuyer}`;
	const keys = { secretId: `${name}-account`, secretKey: SECRET_KEY };
	const account = sandbox.store.addAccount(
		newAccount(name, { keys, balanceInFen: BALANCE_IN_FEN }),
	);
	// Purchases are signed all the same; what is read around them has the token
	const data = credentialData(sandbox.hosts, keys, 'account', 'token');
	const id = await n8n.createCredential(newCredential(name, data));
	return new Buyer(n8n, sandbox, account, { id, name });
}

export class Buyer {
	constructor(
		private readonly n8n: RestClient,
		private readonly sandbox: Sandbox,
		private readonly account: Account,
		private readonly credential: { readonly id: string; readonly name: string },
	) {}

	/** Lets n8n run a workflow that buys once for each item. */
	async buy(run: TrialRun): Promise<FinishedRun> {
		const parameters = {
			...{ resource: 'order', operation: 'create', product: 'TPS', payType: 'PRE_PAY' },
			...{ prepayTimeType: 'DAY', prepayTimeNumber: 1 },
			// The preset of Order: Create is 1
			options: { maxOrdersPerRun: 10 },
		};
		const node = kuaidaili(parameters, this.credential);
		return await runTrial(this.n8n, node, run);
	}

	/** Of the operation; fetching a token is another request. */
	requests(): readonly LoggedRequest[] {
		return this.sandbox.log
			.entries(CREATE_ORDER)
			.filter(({ parameters }) => parameters.secret_id === this.account.keys.secretId);
	}

	payments(): readonly Payment[] {
		return this.sandbox.ledger
			.entries()
			.filter(({ secretId }) => secretId === this.account.keys.secretId);
	}
}
