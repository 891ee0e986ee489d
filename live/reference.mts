import { isUsable } from '../sandbox/accounts/order.mts';
import { startSandbox, type Sandbox } from '../sandbox/sandbox.mts';
import type { Probe } from './probes.mts';
import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import { ServiceReader, type Answered, type KeyPair } from './reader.mts';

/** The sandbox that the service's answers are compared with. It runs inside the bridge. */
export class Reference {
	private readonly reader: ServiceReader;
	private readonly answers = new Map<string, Promise<Answered>>();

	private constructor(private readonly sandbox: Sandbox) {
		this.reader = new ServiceReader({
			hosts: sandbox.hosts,
			extractions: true,
			pause: async () => undefined,
		});
	}

	static async open(): Promise<Reference> {
		const sandbox = await startSandbox({
			rateLimits: false,
			forwardProxies: false,
			inapplicableParameters: 'ignore',
			seed: 1,
		});
		// An empty list shows nothing of its items
		for (const order of sandbox.store.orders) sandbox.whitelists.replaceNow(order, ['192.0.2.7']);
		return new Reference(sandbox);
	}

	/** What the account's key pair is answered, or that of each order of a product: what its answers may look like. */
	async answersTo(
		{ endpoint, parameters }: Pick<Probe, 'endpoint' | 'parameters'>,
		product: string | undefined,
	): Promise<Answered[]> {
		const { clock, keys, store } = this.sandbox;
		const orders = store.orders.filter((order) => isUsable(order, clock.now()));
		const pairs =
			product === undefined
				? [keys.account]
				: orders.filter((order) => order.product === product).map((order) => order.keys);
		return await Promise.all(
			pairs.map(
				async (pair) => await this.answer(endpoint, pair, this.filledIn(endpoint, parameters)),
			),
		);
	}

	/** An order number of the service is none of the sandbox's. */
	private filledIn({ path }: Endpoint, parameters: Readonly<Record<string, string>>) {
		if (path !== '/api/getordersecret') return parameters;
		return { orderid: this.sandbox.store.order(this.sandbox.keys.dps.secretId).orderId };
	}

	private async answer(
		endpoint: Endpoint,
		keys: KeyPair,
		parameters: Readonly<Record<string, string>>,
	): Promise<Answered> {
		const call = JSON.stringify([endpoint.path, keys.secretId, parameters]);
		const answer = this.answers.get(call) ?? this.ask(endpoint, keys, parameters);
		this.answers.set(call, answer);
		return await answer;
	}

	private async ask(
		endpoint: Endpoint,
		keys: KeyPair,
		parameters: Readonly<Record<string, string>>,
	): Promise<Answered> {
		const reply = await this.reader.call(endpoint, keys, parameters);
		if (reply.kind === 'answered') return reply;
		throw new Error(`The sandbox did not answer ${endpoint.path}: ${reply.reason}.`);
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}
}
