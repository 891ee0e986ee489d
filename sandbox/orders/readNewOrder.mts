import {
	type AutoRenewal,
	type DedicatedProxies,
	type OpenProxies,
	PAY_TYPES,
	type PayType,
	type PrivateProxies,
	type TunnelProxies,
} from '../accounts/order.mts';
import { OwnCodes } from '../answers/answer.mts';
import type { Term } from '../time/chinaTime.mts';
import type { OwnParameters } from './ownParameters.mts';
import {
	ADDRESSES_BOUGHT,
	ADDRESSES_PER_DAY,
	DEDICATED_BANDWIDTHS,
	EXCLUSIVE_ADDRESSES,
	readAutoRenewal,
	readTerm,
	REGION_CODE,
	REQUESTS_PER_SECOND,
	SHARED_ADDRESSES,
	TUNNEL_PERIODS,
	tunnelBandwidth,
	unitsFor,
	WHITE_IPS,
} from './ranges.mts';

/** The codes createorder can give. The wording is ours; only the meaning is documented. */
export const CREATE_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
	[-3]: '请使用账户密钥',
	[-4]: '账户余额不足',
	[-5]: '订单类型错误',
	[-61]: '没有可用的IP',
	[-62]: 'kps.ip_count超过最大值',
	[-71]: '不满足开通后付费隧道订单的条件',
	[-72]: '开通后付费隧道订单出错',
});

export type SoldGoods = OpenProxies | PrivateProxies | DedicatedProxies | TunnelProxies;

export interface NewOrder {
	goods: SoldGoods;
	payType: PayType;
	/** Only of prepaid orders. */
	term: Term | undefined;
	autoRenewal: AutoRenewal;
	wantsCoupon: boolean;
}

const PRODUCTS = ['TPS', 'DPS', 'KPS', 'OPS'] as const;

const PAY_TYPES_OF: Readonly<Record<(typeof PRODUCTS)[number], readonly PayType[]>> = {
	TPS: ['PRE_PAY', 'POST_PAY'],
	DPS: ['PRE_PAY', 'PRE_PAY_IP'],
	KPS: ['PRE_PAY'],
	OPS: ['PRE_PAY'],
};

const NO_AUTO_RENEWAL: AutoRenewal = { enabled: false, unit: 'MONTH' };

/**
 * Reads the parameters of createorder. Most of them are not marked as required or optional; here
 * those without a documented default are required.
 */
export function readNewOrder(own: OwnParameters): NewOrder {
	const product = own.choice('product', PRODUCTS);
	const payType = own.choice('pay_type', PAY_TYPES);
	// "Wrong order type" is taken to be a product that is not sold that way; a value that does not
	// exist at all is a wrong parameter.
	if (!PAY_TYPES_OF[product].includes(payType)) throw CREATE_CODES.refusal(-5);

	const goods = readGoods(own, product, payType);
	const units = unitsFor(goods.product === 'KPS' && goods.series === 'exclusive');
	const prepaid = payType === 'PRE_PAY';
	// None is sent
	own.flag('is_notify', true);
	return {
		goods,
		payType,
		term: prepaid ? readTerm(own, 'prepay.', units, 1) : undefined,
		autoRenewal: prepaid ? readAutoRenewal(own, 'prepay.', units) : { ...NO_AUTO_RENEWAL },
		wantsCoupon: own.flag('is_coupon', false),
	};
}

function readGoods(
	own: OwnParameters,
	product: (typeof PRODUCTS)[number],
	payType: PayType,
): SoldGoods {
	switch (product) {
		case 'TPS':
			return readTunnel(own);
		case 'DPS':
			return readPrivate(own, payType);
		case 'KPS':
			return readDedicated(own);
		case 'OPS':
			return { product, plan: own.choice('ops.plan', [2, 3]) === 2 ? 'VIP' : 'SVIP' };
	}
}

function readTunnel(own: OwnParameters): TunnelProxies {
	const period = own.choice('tps.period', TUNNEL_PERIODS);
	const bandwidth = tunnelBandwidth(period);
	return {
		product: 'TPS',
		period,
		maxRps: own.number('tps.max_rps', REQUESTS_PER_SECOND, REQUESTS_PER_SECOND.least),
		maxBandwidth: own.number('tps.max_bandwidth', bandwidth, bandwidth.least),
	};
}

function readPrivate(own: OwnParameters, payType: PayType): PrivateProxies {
	const fetchType = payType === 'PRE_PAY' ? own.choice<1 | 2>('dps.fetch_type', [1, 2]) : undefined;
	const ranges = fetchType === undefined ? ADDRESSES_BOUGHT : ADDRESSES_PER_DAY[fetchType];
	const period = own.choice('dps.period', [...ranges.keys()]);
	const range = ranges.get(period);
	if (!range) throw CREATE_CODES.refusal(-2, 'dps.period');
	return {
		product: 'DPS',
		fetchType,
		period,
		ipCount: own.number('dps.ip_count', range),
		whiteipCount: own.number('dps.whiteip_count', WHITE_IPS, WHITE_IPS.least),
	};
}

function readDedicated(own: OwnParameters): DedicatedProxies {
	const isShared = own.choice('kps.serie', [1, 2]) === 1;
	const model = isShared ? own.choice('kps.model', ['DYN', 'STA']) : undefined;
	const maxBandwidth = own.choice(
		'kps.max_bandwidth',
		model === 'DYN' ? [1] : DEDICATED_BANDWIDTHS,
	);
	return {
		product: 'KPS',
		series: isShared ? 'shared' : 'exclusive',
		model,
		city: own.matching('kps.city', REGION_CODE, ''),
		maxBandwidth,
		// More than there is of the shared ones has a code of its own, which is given later.
		ipCount: own.number('kps.ip_count', isShared ? SHARED_ADDRESSES : EXCLUSIVE_ADDRESSES),
		whiteipCount: own.number('kps.whiteip_count', WHITE_IPS, WHITE_IPS.least),
	};
}
