import {
	newPrivateProxyOrder,
	type PrivateProxyOrder,
	type Sandbox,
	type SandboxOptions,
} from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, entriesOf, startExtraction, type KeyName } from '../extracting.mts';
import { accountOf } from '../ordering.mts';

export const PATH = '/api/getdps';
export const ADDRESS = /^127(\.\d+){3}:\d{5}$/;

export let sandbox: Sandbox;

export async function start(options?: SandboxOptions): Promise<void> {
	sandbox = await startExtraction(options);
}

beforeEach(() => start());

afterEach(() => sandbox.close());

export function ask(parameters: Parameters, keys: KeyName | PrivateProxyOrder = 'dps') {
	const pair = typeof keys === 'string' ? sandbox.keys[keys] : keys.keys;
	return askAs(pair, { sandbox, host: 'dpsUrl', path: PATH }, parameters);
}

export async function extract(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	return entriesOf(await ask(parameters, keys));
}

export async function dataOf(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	const { json } = await ask({ ...parameters, format: 'json' }, keys);
	expect(json).toMatchObject({ code: 0, msg: '' });
	return json.data;
}

let orders = 0;

export function added(settings: Partial<PrivateProxyOrder>): PrivateProxyOrder {
	orders += 1;
	const order = newPrivateProxyOrder(
		`own-${orders}`,
		accountOf(sandbox),
		sandbox.clock.now(),
		settings,
	);
	return sandbox.store.addOrder(order);
}

/** What the sandbox knows about the addresses of an answer. */
export async function proxies(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	return (await extract(parameters, keys)).map((place) => {
		const proxy = sandbox.orderProxies.find(place);
		if (!proxy) throw new Error(`"${place}" belongs to no order`);
		return proxy;
	});
}
