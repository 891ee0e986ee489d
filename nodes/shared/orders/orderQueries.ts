import { isRecord, ownValue, type UnknownRecord, isWellFormed, isList } from '../guards';
import {
	GET_FPS_FLOW,
	GET_IP_BALANCE,
	GET_ORDER_EXPIRE_TIME,
	GET_ORDER_INFO,
	GET_PROXY_AUTHORIZATION,
	CHANGE_TPS_IP,
} from '../service/endpoints/order';
import { dataQuery, type Query, type RunQuery } from '../api/call';
import type { Answered } from '../service/wireTypes';
import { InvalidResponseError, withNote } from '../api/errors';
import { excerptOfData } from '../api/cleanText';
import { expiryOf, payTypeOf } from './orderState';
import type { Endpoint } from '../service/endpoint';
import type { EpochMs } from '../service/chinaTime';

function isAmount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

/** How many IPs a private proxy order has left: of all that were bought, or for today. */
export const ipBalance = dataQuery(GET_IP_BALANCE, 'IP balance', (data) => {
	const balance = ownValue(data, 'balance');
	return isAmount(balance) ? balance : undefined;
});

/** The sense of an IP balance by pay type: the rest of the day, or of all IPs that were bought. */
const COUNTED: ReadonlyMap<string | undefined, 'today' | 'order'> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

/** Whether an order's IP balance is about today or about the whole order; undefined where nobody knows. */
export function countedBy(payType: string | undefined): 'today' | 'order' | undefined {
	return COUNTED.get(payType);
}

/** Amounts in MB. Orders by the month have no total and none that is left. */
function isTraffic(data: unknown): data is UnknownRecord {
	const optional = ['flow_total', 'flow_left'].map((name) => ownValue(data, name) ?? 0);
	return isRecord(data) && [ownValue(data, 'flow_use'), ...optional].every(isAmount);
}

/** The likely cause of a refusal with a code that is not documented. */
export const NO_OTHER_HAS_TRAFFIC =
	"Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.";

/**
 * Traffic of an overseas dynamic order. Takes `start_time` and `end_time`, where wanted: days
 * (`YYYY-MM-DD`) of the used traffic, which then comes by day as well.
 */
export const orderTraffic = dataQuery(GET_FPS_FLOW, 'traffic amounts', (data) =>
	isTraffic(data) ? data : undefined,
);

/** Such as that of an overseas order by the month. */
export class NoTrafficLeftError extends InvalidResponseError {}

/** How much traffic is left of an overseas dynamic order that is billed by traffic, in MB. */
export const trafficLeft: Query<number> = {
	endpoint: GET_FPS_FLOW,
	parse(answer, secrets) {
		const left = ownValue(orderTraffic.parse(answer, secrets), 'flow_left');
		if (typeof left === 'number') return left;
		const reason = 'does not say how much traffic this order has left';
		const error = new NoTrafficLeftError(reason, excerptOfData(answer.data, secrets));
		throw withNote(
			error,
			"Only overseas dynamic orders that are billed by traffic have traffic left; those billed by the month don't. Choose another order in 'Order'.",
		);
	},
};

export interface OrderExpiry extends Answered {
	/** The end as the service sends it, in China time; empty for pay-as-you-go orders. */
	readonly expireTime: string;
	/** Undefined for orders that do not end. */
	readonly expiresAt: EpochMs | undefined;
}

export const orderExpiry: Query<OrderExpiry> = {
	endpoint: GET_ORDER_EXPIRE_TIME,
	parse(answer, secrets) {
		const { data } = answer;
		const expireTime = ownValue(data, 'expire_time');
		const expiresAt = expiryOf(data);
		if (expireTime !== '' && expiresAt === undefined) {
			throw new InvalidResponseError(
				'contains no expiry time that this node can read',
				excerptOfData(data, secrets),
			);
		}
		return { expireTime: String(expireTime), expiresAt, answeredAt: answer.answeredAt };
	},
};

export interface OrderInfo extends Answered {
	/** The details as the service sends them; they may hold the password of a tunnel. */
	readonly info: UnknownRecord;
}

/** The details of the order of the key pair. Takes `field_list`: names with commas; all without. */
export const orderInfo: Query<OrderInfo> = {
	endpoint: GET_ORDER_INFO,
	parse(answer) {
		const { data } = answer;
		if (!isRecord(data)) throw new InvalidResponseError('contains no details of the order', '');
		return { info: data, answeredAt: answer.answeredAt };
	},
};

/** An order's details with its expiry, which is asked for by itself where the details lack it. */
export async function fetchOrderInfo(
	run: RunQuery,
	parameters: { readonly field_list?: string },
): Promise<OrderInfo> {
	const { field_list: fields } = parameters;
	const answer = await run(orderInfo, fields === undefined ? {} : { field_list: fields });
	const { info } = answer;
	const wantsExpiry = fields === undefined || fields.split(',').includes('expire_time');
	const mayLackIt = !Object.hasOwn(info, 'expire_time') && payTypeOf(info) !== 'POST_PAY';
	if (!wantsExpiry || !mayLackIt) return answer;
	const { expireTime } = await run(orderExpiry);
	return { ...answer, info: { ...info, expire_time: expireTime } };
}

/** The user name and password that all proxies of an order take. Not those of the API. */
export interface ProxyLogin {
	readonly username: string;
	readonly password: string;
}

export const proxyLogin: Query<ProxyLogin> = {
	endpoint: GET_PROXY_AUTHORIZATION,
	complete: (parameters) => ({ plaintext: '1', ...parameters }),
	parse({ data }) {
		const username = ownValue(data, 'username');
		const password = ownValue(data, 'password');
		const areTexts = typeof username === 'string' && typeof password === 'string';
		if (areTexts && username !== '' && isWellFormed(username + password)) {
			return { username, password };
		}
		// Without an excerpt: it could be the password
		throw new InvalidResponseError('holds no user name and password for the proxies', '');
	},
};

/** The login with the value of the header `Proxy-Authorization`, which an HTTP client sends to the proxies. */
export const loginWithHeader: Query<ProxyLogin & { readonly proxyAuthorization: string }> = {
	...proxyLogin,
	parse(answer, secrets) {
		const login = proxyLogin.parse(answer, secrets);
		const [type, credentials] = ['type', 'credentials'].map((name) => ownValue(answer.data, name));
		const proxyAuthorization = `${String(type)} ${String(credentials)}`;
		if (typeof type === 'string' && /^\w+ [\w+/-]+=*$/.test(proxyAuthorization)) {
			return { ...login, proxyAuthorization };
		}
		// Without an excerpt: it could be the password
		throw new InvalidResponseError('contains no header for the proxies', '');
	},
};

/** The address that requests come from; the rest is as the service sends it. Empty before the first request. */
type CurrentIp = UnknownRecord & { readonly current_ip: string };

function isCurrentIp(data: UnknownRecord): data is CurrentIp {
	return typeof ownValue(data, 'current_ip') === 'string';
}

/**
 * Both kinds of tunnels show either form of the answer in the service's documentation, so what came
 * decides: one address, or one for each session.
 */
export function currentIps(endpoint: Endpoint): Query<CurrentIp[]> {
	return dataQuery(endpoint, 'IP address', (data): CurrentIp[] | undefined => {
		// An empty map may be written as an empty list
		if (isList(data) && data.length === 0) return [];
		if (!isRecord(data)) return undefined;
		if (isCurrentIp(data)) return [data];
		const ips = Object.entries(data);
		const sessions = ips.flatMap(([sid, ip]) =>
			typeof ip === 'string' ? [{ sid, current_ip: ip }] : [],
		);
		return sessions.length === ips.length ? sessions : undefined;
	});
}

/** The new address in `new_ip`; the rest is as the service sends it. */
export const newIp = dataQuery(CHANGE_TPS_IP, 'new IP address', (data) =>
	isRecord(data) && typeof ownValue(data, 'new_ip') === 'string' ? data : undefined,
);
