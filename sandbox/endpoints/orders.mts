import { type Account, yuan } from '../accounts/account.mts';
import {
	type Order,
	ORDER_STATUSES,
	PAY_TYPES,
	type ProxyOrder,
	statusOf,
	type TunnelProProxyOrder,
	type TunnelProxyOrder,
} from '../accounts/order.mts';
import { OwnCodes, success } from '../answers/answer.mts';
import { pricePerDay } from '../orders/prices.mts';
import type { Settings } from '../settings.mts';
import { writtenExpiry } from '../time/chinaTime.mts';
import { accountEndpoint, orderEndpoint, requested, type Service } from './endpoint.mts';

/** As it goes into an answer: a bigint becomes a JSON number with all its digits. */
export function writtenOrderNumber(
	{ orderId }: Order,
	{ orderNumbers }: Settings,
): string | bigint {
	return orderNumbers === 'unsafe number' ? BigInt(orderId) : orderId;
}

/** What every answer about an order says of it. */
function orderFields(order: Order, product: string, { clock, settings }: Service) {
	return {
		orderid: writtenOrderNumber(order, settings),
		pay_type: order.payType,
		product,
		status: statusOf(order, clock.now()),
	};
}

/** What was paid, and does not show yet. */
function notShownInFen(account: Account, { authentication, clock, ledger, settings }: Service) {
	const own = new Set(authentication.store.ordersOf(account).map(({ orderId }) => orderId));
	const since = clock.milliseconds() - settings.balanceLagSeconds * 1000;
	return ledger
		.entries()
		.filter(({ orderId, time }) => own.has(orderId) && time.getTime() > since)
		.reduce((sum, { amountInFen }) => sum + amountInFen, 0);
}

export const getAccountBalance = accountEndpoint({
	path: '/api/getaccountbalance',
	hosts: ['base'],
	callsPerSecond: 1,
	wrongKey: { code: -3, msg: '请使用账户密钥' },
	answer: ({ account, service }) =>
		success({ balance: yuan(account.balanceInFen + notShownInFen(account, service)) }),
});

// The list of product codes is documented as incomplete; these occur elsewhere in the documentation.
const LISTED_PRODUCTS = [
	'TPS',
	'TPS_PRO',
	'DPS',
	'KPS',
	'OPS',
	'FPS',
	'SFPS',
	'FPS_STATIC',
] as const;

// Codes of this endpoint are not documented; -2 is what a wrong value gets from most of the others.
const LIST_CODES = new OwnCodes({
	[-2]: '参数错误',
});

function isShown({ createdAt }: Order, { clock, settings }: Service): boolean {
	const lagMs = settings.newOrderLagSeconds * 1000;
	return lagMs === 0 || createdAt.getTime() + lagMs <= clock.milliseconds();
}

export const getAccountOrders = accountEndpoint({
	path: '/api/getaccountorders',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: LIST_CODES,
	answer: (use) => {
		const { account, service } = use;
		const { payType, product, status } = requested(
			use,
			LIST_CODES,
			{ missing: -2, wrong: -2 },
			(own) => ({
				status: own.choice('status', ['ALL', ...ORDER_STATUSES], 'VALID'),
				payType: own.optionalChoice('pay_type', PAY_TYPES),
				product: own.optionalChoice('product', LISTED_PRODUCTS),
			}),
		);

		const list = service.authentication.store
			.ordersOf(account)
			// Whether top-ups are listed is not documented.
			.filter((order) => order.product !== 'TOP_UP')
			.filter((order) => isShown(order, service))
			// Whatever is written, it is what it is that puts it on the list
			.filter((order) => status === 'ALL' || status === statusOf(order, service.clock.now()))
			.map((order) => ({
				...orderFields(order, order.product, service),
				expire_time: writtenExpiry(order),
				...order.written,
			}))
			.filter(
				(order) =>
					(payType ?? order.pay_type) === order.pay_type &&
					(product ?? order.product) === order.product,
			);
		return success(list);
	},
});

const SECRET_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '订单号无效',
	[-3]: '请使用账户密钥',
});

export const getOrderSecret = accountEndpoint({
	path: '/api/getordersecret',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: SECRET_CODES,
	wrongKey: { code: -3, msg: SECRET_CODES.message(-3) ?? '', byDefault: true },
	// That an order which is over still has its keys is taken from the silence about it.
	answer: ({ account, call, service }) => {
		const orderId = call.parameters.get('orderid');
		if (orderId === undefined) throw SECRET_CODES.refusal(-1);
		const order = service.authentication.store.findOrder(orderId);
		if (order?.account !== account) throw SECRET_CODES.refusal(-2);
		return success({ secret_id: order.keys.secretId, secret_key: order.keys.secretKey });
	},
});

function priceFields(order: Order) {
	if (order.payType !== 'POST_PAY') return {};
	// What is frozen is the price of a day: see createorder. It stays so until a settlement, which
	// never comes here.
	const price = yuan(pricePerDay(order));
	return { freeze_amount: price, unit_price: price };
}

function tunnelFields({
	login,
	entrance,
	maxBandwidth,
	maxRps,
}: TunnelProxyOrder | TunnelProProxyOrder) {
	return {
		tunnel_password: login.password,
		tunnel_username: login.username,
		tunnel_host: entrance.host,
		tunnel_port_http: entrance.httpPort,
		tunnel_port_socks: entrance.socksPort,
		tunnel_bandwidth: maxBandwidth,
		tunnel_req: maxRps,
	};
}

/** What only orders of this product have. */
function productFields(order: Order) {
	switch (order.product) {
		case 'OPS':
		case 'TOP_UP':
			return {};
		case 'TPS':
			// The documented sample, of a pay-as-used order, has no period; a transcript has one.
			return order.payType === 'POST_PAY'
				? tunnelFields(order)
				: { ...tunnelFields(order), tunnel_period: order.period };
		case 'TPS_PRO':
			// Nothing is documented of these: they are like a tunnel that has no period of its own.
			return tunnelFields(order);
		case 'DPS':
			return loginFields(order);
		case 'KPS':
			return { proxy_count: order.machineIds.length, ...loginFields(order) };
		case 'FPS':
			return {
				...loginFields(order),
				transfer_area: order.transferArea,
				fps_host: order.entrance.host,
				fps_port_http: order.entrance.httpPort,
				fps_port_socks: order.entrance.socksPort,
			};
		case 'SFPS':
			return {
				proxy_count: order.proxies.length,
				...(order.series === 'package' ? loginFields(order) : {}),
			};
	}
}

function loginFields({ login }: ProxyOrder) {
	return { proxy_username: login.username, proxy_password: login.password };
}

// There is no unit while nothing renews itself; whether the service leaves the field out then is not
// documented.
function prepaidFields(order: Order) {
	const { payType, autoRenewal } = order;
	if (payType !== 'PRE_PAY') return {};
	return {
		expire_time: writtenExpiry(order),
		is_auto_renew: autoRenewal.enabled,
		auto_renew_time_type: autoRenewal.enabled ? autoRenewal.unit : '',
	};
}

export const getOrderInfo = orderEndpoint({
	path: '/api/getorderinfo',
	hosts: ['base'],
	callsPerSecond: 5,
	answer: ({ call, order, service }) => {
		const all = {
			// Overseas static ones were seen with another code here than in the list
			...orderFields(order, order.product === 'SFPS' ? 'FPS_STATIC' : order.product, service),
			...order.written,
			...priceFields(order),
			...productFields(order),
			...prepaidFields(order),
		};
		const wanted = call.parameters.get('field_list');
		if (!wanted) return success(all);
		const names = wanted.split(',');
		return success(
			Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
		);
	},
});

export const getOrderExpireTime = orderEndpoint({
	path: '/api/getorderexpiretime',
	hosts: ['base'],
	callsPerSecond: 10,
	answer: ({ order }) => success({ expire_time: writtenExpiry(order) }),
});
