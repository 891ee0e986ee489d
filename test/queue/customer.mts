import { credentialData, newCredential } from '../../harness/credentials.mts';
import {
	newAccount,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type Order,
} from '../../sandbox/sandbox.mts';
import type { QueueSession } from './session.mts';

const LEFT_MS = 12 * 3600_000;
const BALANCE_IN_FEN = 1_000_000_00;

/** Somebody with an account of their own: the service counts the pace for each of them. */
export interface Customer {
	readonly name: string;
	readonly account: Account;
	/** Tunnel orders that end in so long that none does before its turn. */
	readonly tunnels: readonly Order[];
	/** An order of private proxies that is paid per IP. */
	readonly privateProxies: Order;
	/** In n8n, with the account's key pair. */
	readonly credential: NamedCredential;
	/** The same, which signs with a token. */
	readonly tokenCredential: NamedCredential;
}

interface NamedCredential {
	readonly id: string;
	readonly name: string;
}

let lastCustomer = 0;

export async function newCustomer(
	{ sandbox, n8n }: QueueSession,
	tunnelCount: number,
): Promise<Customer> {
	const name = `queue-customer-${++lastCustomer}`;
	const { store, clock, hosts } = sandbox;
	const account = store.addAccount(newAccount(name, { balanceInFen: BALANCE_IN_FEN }));
	const expiresAt = () => new Date(clock.milliseconds() + LEFT_MS);
	const tunnels = Array.from({ length: tunnelCount }, (_none, index) =>
		store.addOrder(
			newTunnelProxyOrder(`${name}-tunnel-${index}`, account, clock.now(), {
				expiresAt: expiresAt(),
			}),
		),
	);
	const privateProxies = store.addOrder(
		newPrivateProxyOrder(`${name}-private`, account, clock.now(), { payType: 'PRE_PAY_IP' }),
	);
	const keep = async (label: string, signType: 'hmacsha1' | 'token') => {
		const data = credentialData(hosts, account.keys, 'account', signType);
		return { id: await n8n.createCredential(newCredential(label, data)), name: label };
	};
	const credential = await keep(name, 'hmacsha1');
	const tokenCredential = await keep(`${name}-token`, 'token');
	return { name, account, tunnels, privateProxies, credential, tokenCredential };
}

/** What the service took for a purchase of that customer, and how often it was asked to. */
export function seenByService(
	{ sandbox }: QueueSession,
	{ account, tunnels }: Customer,
	path: string,
): { readonly payments: number; readonly requests: number } {
	const keys = new Set<string | undefined>(
		[account, ...tunnels].map((owner) => owner.keys.secretId),
	);
	return {
		payments: sandbox.ledger.entries().filter(({ secretId }) => keys.has(secretId)).length,
		requests: sandbox.log.entries(path).filter(({ parameters }) => keys.has(parameters.secret_id))
			.length,
	};
}
