import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { ipBalance } from '../../shared/orders/ipBalance';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { runQuery } from '../../shared/transport/runQuery';
import { balanceKindOf } from './balanceKind';
import { emitCrossing } from './crossing';
import type { TriggerEvent } from './event';

const lineField: Field = {
	name: 'ipBalanceBelow',
	displayName: 'Below (IPs)',
	description: 'The workflow starts when the order has fewer IPs left than this',
	kind: wholeNumber(1, 100_000_000, 1000),
};

export const ipBalanceBelow: TriggerEvent = {
	option: {
		name: 'IP Balance Below',
		value: 'ipBalanceBelow',
		action: 'On low IP balance',
		description:
			"When a private proxy order runs low on IPs, and again after there are more. For pay-per-IP orders, and for the quota left today of prepaid orders with concentrated extraction; 'balanceOf' says which.",
	},
	orders: { products: ['DPS'] },
	properties: [toProperty(orderField), toProperty(lineField)],
	nothing: 'There is no IP balance',
	async fetchSnapshot(caller, valueOf, before) {
		const orderid = readChosenOrder(valueOf(orderField.name));
		const line = Number(readRequiredField(lineField, valueOf(lineField.name)));
		const access = await accessOrder(caller, orderid);
		const subject = [caller.credential.secretId, orderid ?? ''];
		const balanceOf = await balanceKindOf(access.caller, subject, before);
		const balance = await runQuery(access.caller, ipBalance);
		const kind = balanceOf === undefined ? {} : { balanceOf };
		const record = { ...(orderid === undefined ? {} : { orderid }), balance, ...kind, below: line };
		const watched = { subject, value: balance, line };
		return {
			poll(stored) {
				const { records, state } = emitCrossing(watched, { before, stored }, record);
				return { records, state: { ...state, ...kind } };
			},
			sample: () => [record],
		};
	},
};
