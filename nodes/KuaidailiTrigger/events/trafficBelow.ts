import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { trafficLeft } from '../../shared/orders/orderTraffic';
import { explainUndocumented } from '../../shared/transport/explainUndocumented';
import { runQuery } from '../../shared/transport/runQuery';
import { emitCrossing } from './crossing';
import type { TriggerEvent } from './event';

const lineField: Field = {
	name: 'trafficBelow',
	displayName: 'Below (MB)',
	description: 'The workflow starts when the order has less traffic left than this, in MB',
	kind: wholeNumber(1, 100_000_000, 1000),
};

export const trafficBelow: TriggerEvent = {
	option: {
		name: 'Traffic Below',
		value: 'trafficBelow',
		action: 'On low traffic',
		description:
			'When an overseas dynamic order that is billed by traffic runs low on it, and again after you buy more',
	},
	orders: { products: ['FPS'] },
	properties: [toProperty(orderField), toProperty(lineField)],
	nothing: 'There is no traffic',
	async fetchSnapshot(caller, valueOf, before) {
		const orderid = readChosenOrder(valueOf(orderField.name));
		const line = Number(readRequiredField(lineField, valueOf(lineField.name)));
		const access = await accessOrder(caller, orderid);
		const left = await explainUndocumented(
			runQuery(access.caller, trafficLeft),
			"Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.",
		);
		const record = {
			...(orderid === undefined ? {} : { orderid }),
			flow_left: left,
			below: line,
		};
		const subject = [caller.credential.secretId, orderid ?? ''];
		return {
			poll: (stored) => emitCrossing({ subject, value: left, line }, { before, stored }, record),
			sample: () => [record],
		};
	},
};
