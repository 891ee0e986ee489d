import { isRecord } from '../harness/outsideData.mts';
import {
	GET_ACCOUNT_BALANCE,
	GET_ACCOUNT_ORDERS,
	GET_ORDER_SECRET,
} from '../nodes/shared/service/endpoints/account.ts';
import {
	GET_FPS,
	GET_KPS,
	GET_TPS,
	GET_TPS_PRO,
} from '../nodes/shared/service/endpoints/extraction.ts';
import {
	GET_TPS_PROV_CODE,
	GET_UA,
	QUERY_KPS_CITY,
} from '../nodes/shared/service/endpoints/lookup.ts';
import { GET_FPS_FLOW, GET_ORDER_INFO } from '../nodes/shared/service/endpoints/order.ts';
import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import type { AskedOrder } from './orders.mts';
import {
	newStamp,
	type Answered,
	type KeyPair,
	type Reply,
	type ServiceReader,
} from './reader.mts';
import { shapeOf } from './shape.mts';

export interface QuestionContext {
	readonly reader: ServiceReader;
	readonly keys: KeyPair;
	readonly isAccount: boolean;
	readonly orders: readonly AskedOrder[];
	/** The answer that an endpoint gave for an order earlier in this run. */
	replyTo(endpoint: Endpoint, order: AskedOrder): Answered | undefined;
}

/** An answer, or one that contradicts what the package assumes. */
export type Answer = string | { readonly differs: string };

/** What docs/uncertainties.md leaves open, by its number there. */
export interface Question {
	readonly number: number;
	readonly subject: string;
	/**
	 * Reads what tells the answer. Undefined as a function: no reading tells it; as a result: not with this key.
	 * The sentence holds nothing of a value but codes and numbers of things.
	 */
	readonly ask?: (context: QuestionContext) => Promise<Answer | undefined>;
}

const CLOCK_STEPS = [60, 120, 300, 600, 1800, 3600];
const TOO_OLD = -112;
const REPEATED = -114;
const TOO_FAST = -120;
const MOST_USER_AGENTS = '300';
const MORE_THAN_ANY_ORDER = '1000';

const codeOf = (reply: Reply) => (reply.kind === 'answered' ? reply.code : undefined);
const dataOf = (reply: Reply) => (reply.kind === 'answered' ? reply.data : undefined);
const recordOf = (value: unknown) => (isRecord(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A harmless endpoint that takes the key pair of the credential, whichever it is. */
const anyRead = ({ isAccount }: QuestionContext) =>
	isAccount ? GET_ACCOUNT_BALANCE : GET_ORDER_INFO;

async function clockTolerance(context: QuestionContext): Promise<string | undefined> {
	const { reader, keys } = context;
	for (const [index, seconds] of CLOCK_STEPS.entries()) {
		const reply = await reader.call(
			anyRead(context),
			keys,
			{},
			{ timestampOffsetSeconds: -seconds },
		);
		const code = codeOf(reply);
		if (code === 0) continue;
		if (code !== TOO_OLD) return undefined;
		return `a time ${seconds} s ago is refused, one ${index === 0 ? 0 : CLOCK_STEPS[index - 1]} s ago accepted`;
	}
	return `a time ${CLOCK_STEPS.at(-1)} s ago is accepted`;
}

async function repeatedRequest(context: QuestionContext): Promise<string | undefined> {
	const { reader, keys } = context;
	const stamp = newStamp();
	if (codeOf(await reader.call(anyRead(context), keys, {}, { stamp })) !== 0) return undefined;
	const code = codeOf(await reader.call(anyRead(context), keys, {}, { stamp }));
	if (code === REPEATED) return 'a read that came twice was rejected the second time (-114)';
	return code === 0 ? 'a read that came twice was answered twice' : undefined;
}

async function scopeOfLimits({ reader, isAccount, keys, orders }: QuestionContext) {
	const pairs = [...(isAccount ? [keys] : []), ...orders.map((order) => order.keys)].slice(0, 2);
	if (pairs.length < 2) return undefined;
	const replies = await Promise.all(
		pairs.map(async (pair) => await reader.call(GET_TPS_PROV_CODE, pair)),
	);
	const codes = replies.map(codeOf);
	if (codes.every((code) => code === 0)) return 'two keys of one account, at once: both answered';
	return codes.includes(TOO_FAST) ? 'two keys of one account, at once: one too fast' : undefined;
}

async function expiredOrder({ reader, isAccount, keys }: QuestionContext) {
	if (!isAccount) return undefined;
	const ended = listOf(dataOf(await reader.call(GET_ACCOUNT_ORDERS, keys, { status: 'EXPIRED' })));
	const orderid = recordOf(ended[0]).orderid;
	if (typeof orderid !== 'string') return undefined;
	const secret = recordOf(dataOf(await reader.call(GET_ORDER_SECRET, keys, { orderid })));
	const { secret_id: secretId, secret_key: secretKey } = secret;
	if (typeof secretId !== 'string' || typeof secretKey !== 'string')
		return 'it has no key pair any more';
	const code = codeOf(await reader.call(GET_ORDER_INFO, { secretId, secretKey }));
	return code === undefined ? undefined : `its details are answered with code ${code}`;
}

/** Eight hours apart: whichever zone puts an active order into the past, or an ended one into the future, is wrong. */
async function zoneOfExpiry({ reader, isAccount, keys }: QuestionContext) {
	if (!isAccount) return undefined;
	const records = listOf(dataOf(await reader.call(GET_ACCOUNT_ORDERS, keys, { status: 'ALL' })));
	const fits = { '+08:00': true, Z: true };
	for (const { status, expire_time: time } of records.map(recordOf)) {
		if (typeof time !== 'string' || (status !== 'VALID' && status !== 'EXPIRED')) continue;
		for (const zone of ['+08:00', 'Z'] as const) {
			const end = Date.parse(`${time.replace(' ', 'T')}${zone}`);
			if (!Number.isNaN(end) && end > Date.now() !== (status === 'VALID')) fits[zone] = false;
		}
	}
	if (fits['+08:00'] === fits.Z) return undefined;
	return fits.Z ? { differs: 'it is UTC, not China time' } : 'it is China time';
}

async function overseasKind({ orders, replyTo }: QuestionContext) {
	const kinds = orders.flatMap((order) => {
		const flow = order.product === 'FPS' ? recordOf(replyTo(GET_FPS_FLOW, order)?.data) : {};
		if (!Object.hasOwn(flow, 'flow_use')) return [];
		return [Object.hasOwn(flow, 'flow_total') ? 'a total' : 'no total'];
	});
	return kinds.length === 0 ? undefined : `the traffic has ${[...new Set(kinds)].join(', and ')}`;
}

async function moreThanThereAre({ reader, orders }: QuestionContext) {
	const order = orders.find(({ product }) => product === 'KPS');
	if (order === undefined) return undefined;
	const parameters = { num: MORE_THAN_ANY_ORDER, format: 'json' };
	const reply = await reader.call(GET_KPS, order.keys, parameters);
	if (codeOf(reply) !== 0) return `code ${codeOf(reply)}`;
	const count = listOf(recordOf(dataOf(reply)).proxy_list).length;
	return count < Number(MORE_THAN_ANY_ORDER) ? 'those that there are' : 'as many as were asked for';
}

async function loginsOfTunnels({ orders, replyTo }: QuestionContext) {
	const endpoints = [GET_TPS, GET_TPS_PRO, GET_FPS];
	const formats = orders
		.flatMap((order) => endpoints.map((endpoint) => replyTo(endpoint, order)?.data))
		.flatMap((data) => [...(shapeOf(data).get('proxy_list[]') ?? [])]);
	if (formats.length === 0) return undefined;
	return `their entries are ${[...new Set(formats)].join(' or ')}`;
}

async function userAgents({ reader, keys }: QuestionContext) {
	const reply = await reader.call(GET_UA, keys, { num: MOST_USER_AGENTS });
	if (codeOf(reply) === undefined) return undefined;
	if (codeOf(reply) !== 0)
		return `of user agents: more than allowed is answered with code ${codeOf(reply)}`;
	// How many it are tells what the account has spent
	return 'of user agents: as many as there may be';
}

async function citiesOfRegion({ reader, isAccount, keys }: QuestionContext) {
	if (!isAccount) return undefined;
	const ask = async (city: string) => {
		const reply = await reader.call(QUERY_KPS_CITY, keys, { serie: '2', city });
		return codeOf(reply) === 0
			? listOf(dataOf(reply)).map((each) => recordOf(each).code)
			: undefined;
	};
	const [all, region] = [await ask(''), await ask('33')];
	if (all === undefined || region === undefined) return undefined;
	const cities = all.filter((code) => typeof code === 'string' && code.startsWith('33'));
	if (cities.length === 0) return undefined;
	return cities.length === region.length
		? 'a region code counts its cities'
		: 'a region code counts others than its cities';
}

const TUNNELS = ['TPS', 'TPS_PRO'];

async function intervalOfTunnels({ orders, replyTo }: QuestionContext) {
	const details = orders
		.filter(({ product, payType }) => product === 'TPS' && payType === 'POST_PAY')
		.map((order) => recordOf(replyTo(GET_ORDER_INFO, order)?.data));
	if (details.length === 0) return undefined;
	const tell = details.every((each) => Object.hasOwn(each, 'tunnel_period'));
	return `pay-as-you-go orders ${tell ? 'tell' : 'do not tell'} the interval`;
}

async function requestsPerSecond({ orders, replyTo }: QuestionContext) {
	const details = orders
		.filter(({ product }) => TUNNELS.includes(product))
		.map((order) => recordOf(replyTo(GET_ORDER_INFO, order)?.data));
	if (details.length === 0) return undefined;
	const tell = details.every((each) => Object.hasOwn(each, 'tunnel_req'));
	return `${tell ? 'all' : 'not all'} tunnels tell their requests per second`;
}

export const QUESTIONS: readonly Question[] = [
	{ number: 1, subject: 'how far the clock may be off', ask: clockTolerance },
	{ number: 2, subject: 'what rate limits hold for', ask: scopeOfLimits },
	{ number: 3, subject: 'from how many addresses an order may be called' },
	{ number: 4, subject: 'the key pair of an expired order', ask: expiredOrder },
	{ number: 5, subject: 'a signed request that arrives twice', ask: repeatedRequest },
	{ number: 6, subject: 'how soon new orders and purchases show' },
	{ number: 7, subject: 'how far ahead an order can be renewed' },
	{ number: 8, subject: 'the time zone of expire_time', ask: zoneOfExpiry },
	{ number: 9, subject: 'how many days an order may last' },
	{ number: 10, subject: 'which orders can be placed' },
	{ number: 11, subject: 'professional pay-per-IP orders' },
	{ number: 12, subject: 'overseas orders by traffic', ask: overseasKind },
	{ number: 13, subject: 'the wording of extra fields' },
	{ number: 14, subject: 'how many private proxies one call gives' },
	{ number: 15, subject: 'fewer proxies than asked for' },
	{ number: 16, subject: 'more dedicated proxies than there are', ask: moreThanThereAre },
	{ number: 17, subject: 'logins of tunnels', ask: loginsOfTunnels },
	{ number: 18, subject: 'whitelists of extracted overseas proxies' },
	{ number: 19, subject: 'when a daily quota starts again' },
	{ number: 20, subject: 'how many one call takes', ask: userAgents },
	{ number: 21, subject: 'what a two-digit region code counts', ask: citiesOfRegion },
	{ number: 22, subject: "a tunnel's interval", ask: intervalOfTunnels },
	{ number: 23, subject: "a tunnel's requests per second", ask: requestsPerSecond },
	{ number: 24, subject: 'words before a status' },
];
