import assert from 'node:assert/strict';

import type { EndpointRow, OperationRow, Outcome } from './row.mts';

const VALID = '/api/checkdpsvalid';
const TIME = '/api/getdpsvalidtime';
const OPEN = '/api/checkopsvalid';
const INFO = '/api/getorderinfo';

const ADDRESS = '122.4.44.132:21808';

/** Of an address that the order never had. */
function isDead({ records: [record] }: Outcome): void {
	assert.equal(record.valid, false);
	assert.equal(record.secondsLeft, 0);
}

export const CHECK: OperationRow = {
	operation: 'check',
	label: 'Check',
	action: 'Check proxies',
	labels: ['Product', 'Order', 'Proxy', 'Only Valid', 'Options'],
	key: 'order',
	path: VALID,
	everyChoiceOf: ['product', 'onlyValid'],
	cases: [
		{
			what: 'of a private proxy that has expired',
			order: 'dps',
			fields: { proxy: `http://d123:secret@${ADDRESS}`, onlyValid: false },
			calls: [INFO, VALID, TIME],
			sent: { proxy: ADDRESS },
			prove: isDead,
			answers: {
				[INFO]: { data: { product: 'DPS', pay_type: 'PRE_PAY' }, isSecret: true },
				[VALID]: { data: { [ADDRESS]: true } },
				[TIME]: { data: { [ADDRESS]: 856 }, canDoWithout: true },
			},
		},
		{
			what: 'of a private proxy of a pay-per-IP order',
			order: 'dpsPerIp',
			fields: { product: 'DPS', proxy: ADDRESS, onlyValid: true },
			calls: [INFO, VALID],
			sent: { proxy: ADDRESS },
			gives: () => [],
		},
		{
			what: 'of an open proxy',
			order: 'opsVip',
			path: OPEN,
			fields: { product: 'OPS', proxy: ADDRESS },
			sent: { proxy: ADDRESS },
			prove({ records: [record, ...more] }) {
				assert.deepEqual(more, []);
				assert.deepEqual(Object.entries(record)[0], ['valid', false]);
			},
			answers: { [OPEN]: { data: { [ADDRESS]: true } } },
		},
	],
};

export const CHECK_ENDPOINTS: readonly EndpointRow[] = [
	{ path: VALID, title: 'Proxy: Check, private proxies', codes: {} },
	{ path: TIME, title: 'Proxy: Check, how long private proxies live on', codes: {} },
	{ path: OPEN, title: 'Proxy: Check, open proxies', codes: {} },
];
