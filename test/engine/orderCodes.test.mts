import type { IDataObject } from 'n8n-workflow';

import {
	newAccount,
	newTunnelProxyOrder,
	startSandbox,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import { Engine } from './engine.mts';

let sandbox: Sandbox;
const engine = new Engine();
let lastName = 0;

beforeAll(async () => {
	sandbox = await startSandbox({ seed: 1, catalogueSize: 1, forwardProxies: false });
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.faults.clear());

interface Endpoint {
	path: string;
	keyType: 'account' | 'order';
	parameters: IDataObject;
	/** The documented codes of the endpoint, with a word that its message must contain. */
	codes: ReadonlyArray<[code: number, message: RegExp]>;
	/** The codes after which it is open whether money was spent. */
	open: readonly number[];
}

const ENDPOINTS: readonly Endpoint[] = [
	{
		path: '/api/createorder',
		keyType: 'account',
		parameters: {
			resource: 'order',
			operation: 'create',
			product: 'TPS',
			payType: 'PRE_PAY',
			prepayTimeType: 'DAY',
		},
		codes: [
			[-1, /missing a value/],
			[-2, /did not accept one of the values/],
			[-3, /account's key pair/],
			[-4, /balance is too low/],
			[-5, /kind of order/],
			[-61, /No IPs are available/],
			[-62, /Not enough IPs/],
			[-71, /does not meet the requirements/],
			[-72, /could not open/],
			[-102, /does not exist or has expired/],
			[-104, /signature was not accepted/],
			[-108, /API whitelist/],
			[-109, /went wrong on Kuaidaili's side/],
			[-123, /this kind of key pair/],
		],
		open: [-72, -109],
	},
	{
		path: '/api/reneworder',
		keyType: 'order',
		parameters: { resource: 'order', operation: 'renew', renewWhen: 'always', timeType: 'DAY' },
		codes: [
			[-1, /missing a value/],
			[-2, /did not accept one of the values/],
			[-3, /pay-as-you-go order, so it cannot be renewed/],
			[-4, /virtual order, so it cannot be renewed/],
			[-5, /balance is too low/],
			[-6, /longer than the service allows/],
			[-7, /doesn't match 'Order Type'/],
			[-109, /went wrong on Kuaidaili's side/],
			[-123, /this kind of key pair/],
		],
		open: [-109],
	},
	{
		path: '/api/setautorenew',
		keyType: 'order',
		parameters: { resource: 'autoRenewal', operation: 'enable' },
		codes: [
			[-1, /did not accept one of the values/],
			[-3, /cannot be renewed automatically/],
			[-109, /went wrong on Kuaidaili's side/],
			[-123, /this kind of key pair/],
		],
		open: [],
	},
];

const CASES = ENDPOINTS.flatMap((endpoint) =>
	endpoint.codes.map(([code, message]) => [endpoint.path, code, message, endpoint] as const),
);

it.each(CASES)('%s: tells code %i with what to do', async (path, code, message, endpoint) => {
	const name = `codes-${++lastName}`;
	const account = sandbox.store.addAccount(newAccount(name, { balanceInFen: 1_000_000_00 }));
	const order = sandbox.store.addOrder(
		newTunnelProxyOrder(`${name}-order`, account, sandbox.clock.now()),
	);
	sandbox.faults.add({ kind: 'code', code, path, times: 1 });
	sandbox.log.clear();
	const { error } = await engine.run({
		credentialId: engine.addCredential({
			keyType: endpoint.keyType,
			...(endpoint.keyType === 'account' ? account.keys : order.keys),
			signType: 'hmacsha1',
			customHosts: true,
			...sandbox.hosts,
		}),
		parameters: endpoint.parameters,
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
	});
	const isOpen = endpoint.open.includes(code);
	if (endpoint.parameters.resource === 'order') {
		// What was refused is not sent again, and what is open even less
		expect(sandbox.log.count(path)).toBe(1);
		expect(sandbox.ledger.entries().filter(({ orderId }) => orderId === order.orderId)).toEqual([]);
	}
	expect(error === undefined).toBe(endpoint.parameters.resource !== 'order');
	const shown = error ?? (await failedOnce(endpoint, path, code));
	expect(shown.message).toMatch(message);
	expect(shown.message.includes('may have been')).toBe(isOpen);
	expect(shown.description).toMatch(isOpen ? /member center/ : /\w{4}.*\.$/);
	if (!isOpen) expect(shown.description).toContain(`(code ${code})`);
});

/** Reads are tried again by 'Retry On Fail', so their refusal shows without it only. */
async function failedOnce({ keyType, parameters }: Endpoint, path: string, code: number) {
	const name = `codes-${++lastName}`;
	const account = sandbox.store.addAccount(newAccount(name));
	const order = sandbox.store.addOrder(
		newTunnelProxyOrder(`${name}-order`, account, sandbox.clock.now()),
	);
	sandbox.faults.add({ kind: 'code', code, path, times: 1 });
	const { error } = await engine.run({
		credentialId: engine.addCredential({
			keyType,
			...order.keys,
			customHosts: true,
			...sandbox.hosts,
		}),
		parameters,
	});
	if (error === undefined) throw new Error('Nothing was refused');
	return error;
}
