import { readString } from '../../../harness/outsideData.mts';
import { IPS_AT_FIRST } from '../keys.mts';
import { expectCount, expectEach, expectProxies, lane, several, type OpenLane } from '../lane.mts';

const CALLS_PER_RUN = 2;
/** Between two orders; each of them is renewed once. */
const PURCHASE_EVERY_MS = 30_000;

const ORDERS = { resource: 'order', operation: 'getAll', status: 'VALID', limit: 3 };
const CREATE = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	prepayTimeNumber: 1,
	tpsPeriod: 0,
};
const RENEW = {
	resource: 'order',
	operation: 'renew',
	orderid: { __rl: true, mode: 'code', value: '={{ $json.item.orderid }}' },
	renewWhen: 'expiring',
	expiringWithin: 3,
	expiringWithinUnit: 'days',
	renewalOf: 'prepaid',
	timeType: 'MONTH',
	timeNumber: 1,
};

const IPS_BELOW = 500;
const IPS_ADDED = 1000;
const EXTRACTED_AT_ONCE = 100;
/** So long that IPs run low only after the ten minutes for which a top-up satisfies the condition. */
const EXTRACTED_EVERY_MS = 65_000;

const TOP_UP = {
	resource: 'order',
	operation: 'renew',
	renewalOf: 'perIp',
	renewWhen: 'ipBalanceBelow',
	balanceBelow: IPS_BELOW,
	proxyLifetime: 'minutes',
	dpsIpCount: IPS_ADDED,
};

function extract(num: number) {
	return { resource: 'proxy', operation: 'extract', product: 'DPS', num };
}

const CHECK = {
	resource: 'proxy',
	operation: 'check',
	product: 'DPS',
	proxy: '={{ $json.item.proxyUrl }}',
};

let ipsLeft = IPS_AT_FIRST;

/** All but extraction. */
export const WORK_LANES: readonly OpenLane[] = [
	lane({
		name: 'Proxy: Check, private proxies',
		nodes: [
			['dpsChecked', extract(3)],
			['dpsChecked', CHECK],
		],
		items: [{}],
		quotaOf: 'dpsChecked',
		// What was extracted a moment ago, so that all of it has to be valid
		async rest(proxies, startCheck) {
			const extracted = expectProxies(proxies, 3).length;
			const output = await startCheck(proxies.map(({ proxyUrl }) => ({ proxyUrl })));
			expectEach(output, 'valid', true);
			const isOver = output.some(({ secondsLeft }) => !(Number(secondsLeft) > 0));
			if (isOver) throw new Error('a proxy has no time left');
			return { items: expectCount(output, extracted), extracted };
		},
	}),
	lane({
		name: 'Order: Get Many',
		nodes: [['account', ORDERS]],
		items: several(CALLS_PER_RUN, () => ({})),
		pauseMs: 0,
		rest: (output) => ({ items: expectCount(output, 3 * CALLS_PER_RUN) }),
	}),
	lane({
		name: 'Order: Create, Renew, and not renewed again',
		nodes: [
			['account', CREATE],
			['account', RENEW],
		],
		items: [{}],
		pauseMs: PURCHASE_EVERY_MS,
		async rest([order], renew) {
			const orderid = readString(order, 'orderid');
			const renewed = await renew([{ orderid }]);
			const again = await renew([{ orderid }]);
			expectEach([...renewed, ...again], 'orderid', orderid);
			expectEach(renewed, 'renewed', true);
			expectEach(again, 'renewed', false);
			const items = 1 + expectCount([...renewed, ...again], 2);
			return { items, created: [orderid], renewed: [orderid] };
		},
	}),
	lane({
		name: 'Order: Renew, if few IPs are left',
		nodes: [
			['dpsRenewed', extract(EXTRACTED_AT_ONCE)],
			['dpsRenewed', TOP_UP],
		],
		items: [{}],
		quotaOf: 'dpsRenewed',
		pauseMs: EXTRACTED_EVERY_MS,
		async rest(proxies, renew) {
			const extracted = expectProxies(proxies, EXTRACTED_AT_ONCE).length;
			ipsLeft -= extracted;
			const isDue = ipsLeft < IPS_BELOW;
			if (isDue) ipsLeft += IPS_ADDED;
			const output = await renew([{}]);
			expectEach(output, 'renewed', isDue);
			expectEach(output, 'ip_balance', ipsLeft);
			const renewed = isDue ? [readString(output[0], 'orderid')] : [];
			return { items: extracted + expectCount(output, 1), extracted, renewed };
		},
	}),
];
