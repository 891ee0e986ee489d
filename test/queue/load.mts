import { readString } from '../../harness/outsideData.mts';
import type { WebhookAnswer } from './webhook.mts';
import { newCustomer, type Customer } from './customer.mts';
import { CREATE, EXTRACT, GET_BALANCE, GET_CITIES, GET_ORDERS, RENEW } from './operations.mts';
import type { QueueSession } from './session.mts';
import { serveWebhook, type Webhook } from './webhook.mts';

/** One operation that is called again and again. */
export interface Errand {
	readonly name: string;
	readonly spends: 'create' | 'renew' | undefined;
	readonly parameters: Readonly<Record<string, unknown>>;
	/** For each customer. */
	readonly calls: number;
	/** How many items come out of a success; undefined means one or more. */
	readonly itemCount?: number;
	/** The order that a call is about. */
	orderOf?(customer: Customer, call: number): string | undefined;
}

const RENEWALS = 7;

const ERRANDS: readonly Errand[] = [
	{ name: 'balance', spends: undefined, parameters: GET_BALANCE, calls: 7, itemCount: 1 },
	{ name: 'cities', spends: undefined, parameters: GET_CITIES, calls: 7 },
	{ name: 'orders', spends: undefined, parameters: GET_ORDERS, calls: 6 },
	{
		name: 'extract',
		spends: undefined,
		parameters: EXTRACT,
		calls: 7,
		itemCount: 5,
		orderOf: ({ openProxies }) => openProxies.orderId,
	},
	{ name: 'create', spends: 'create', parameters: CREATE, calls: 6, itemCount: 1 },
	{
		name: 'renew',
		spends: 'renew',
		parameters: RENEW,
		calls: RENEWALS,
		itemCount: 1,
		orderOf: ({ tunnels }, call) => tunnels[call]?.orderId,
	},
];

const CUSTOMERS = 5;

/** One of the calls, before and after it. */
export interface LoadCall {
	readonly number: number;
	readonly errand: Errand;
	readonly customer: Customer;
	readonly orderid: string | undefined;
	readonly webhook: Webhook;
	answer: WebhookAnswer | Error | undefined;
}

type UnnumberedCall = Omit<LoadCall, 'number'>;

/** The calls of all customers. */
export async function prepareLoad(session: QueueSession): Promise<readonly LoadCall[]> {
	const calls: UnnumberedCall[] = [];
	for (let index = 0; index < CUSTOMERS; index++) {
		// One of them has tokens, of which each worker fetches its own
		const customer = await newCustomer(session, RENEWALS, index === 0 ? 'token' : 'hmacsha1');
		calls.push(...(await callsOf(session, customer, ERRANDS)));
	}
	return mixed(calls);
}

/** One webhook for each errand, and all calls of it. */
export async function callsOf(
	session: QueueSession,
	customer: Customer,
	errands: readonly Errand[],
): Promise<UnnumberedCall[]> {
	const { name, credential } = customer;
	const calls: UnnumberedCall[] = [];
	for (const errand of errands) {
		const title = `${name} ${errand.name}`;
		const webhook = await serveWebhook(session, title, errand.parameters, credential);
		for (let call = 0; call < errand.calls; call++) {
			const orderid = errand.orderOf?.(customer, call);
			calls.push({ errand, customer, orderid, webhook, answer: undefined });
		}
	}
	return calls;
}

/** So that neighbours are of different customers and errands. */
export function mixed(calls: readonly UnnumberedCall[]): readonly LoadCall[] {
	// A step that shares no divisor with the length visits every place once
	const step = 59;
	return calls.map((_call, number) => ({ ...calls[(number * step) % calls.length], number }));
}

/** Whether the run succeeded; a failed one answers with HTTP status 500. */
export function isAnswered({ answer }: LoadCall): boolean {
	return answer !== undefined && !(answer instanceof Error) && answer.status === 200;
}

export function orderNumberIn(answer: LoadCall['answer']): string {
	if (answer === undefined || answer instanceof Error) return '';
	return readString(answer.items, 0, 'orderid');
}

export function inWords({ number, errand, answer }: LoadCall): string {
	const outcome = answer instanceof Error ? answer.message : String(answer?.status);
	return `${number} ${errand.name} ${outcome}`;
}

/** Makes all calls, so many at a time; their answers are written into them. */
export async function runLoad(calls: readonly LoadCall[], atATime: number): Promise<void> {
	const left = [...calls];
	const work = async () => {
		for (let call = left.shift(); call; call = left.shift()) {
			const { number, orderid, webhook } = call;
			call.answer = await webhook
				.call({ number, orderid })
				.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
		}
	};
	await Promise.all(Array.from({ length: atATime }, work));
}
