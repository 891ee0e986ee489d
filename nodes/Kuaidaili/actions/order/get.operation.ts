import type { IDataObject } from 'n8n-workflow';

import { serviceField } from '../../../shared/fields/field';
import { list } from '../../../shared/fields/kinds';
import { toDataObject, toRecord, type UnknownRecord } from '../../../shared/guards';
import { fetchOrderInfo } from '../../../shared/orders/queries';
import { readableOrder } from '../../../shared/orders/order';
import { GET_ORDER_INFO } from '../../../shared/service/endpoints/order';
import { includeSecrets } from '../../parameters/callOptions';
import { callOperation, fetching } from '../../run/operation';
import { isSimplified, simplifiedOrder, simplifyField } from './simplify';

const fieldListField = serviceField({
	serviceName: 'field_list',
	displayName: 'Fields',
	description: 'Names of the fields to get, separated by commas. Leave empty for all.',
	placeholder: 'e.g. status,expire_time',
	kind: list('field names, separated by commas, such as status,expire_time', (name) =>
		/^\w{1,64}$/.test(name),
	),
});

const orderSecretsField = includeSecrets(
	'Whether to include secrets, such as the tunnel password, in the output. n8n then saves them with the execution.',
);

const SECRET_NAME = /password|passwd|secret|token|credential|(?:^|_)key$/i;

/** The service sends a flat record; whatever else it may send is looked through as well. */
function withoutSecrets(info: UnknownRecord): { shown: IDataObject; hidden: string[] } {
	const hidden: string[] = [];
	const text = JSON.stringify(info, (name, value: unknown) => {
		if (!SECRET_NAME.test(name)) return value;
		hidden.push(name);
		return undefined;
	});
	return { shown: toDataObject(JSON.parse(text)), hidden };
}

export const orderGet = callOperation({
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get order',
		description:
			"Get an order's details and expiry, and whether it renews automatically (is_auto_renew), which lists of orders don't say",
	},
	work: fetching(GET_ORDER_INFO, fetchOrderInfo),
	fields: [fieldListField],
	options: [orderSecretsField, simplifyField],
	toResult({ info, answeredAt }, context) {
		const { item, textOf } = context;
		const isWanted = textOf(orderSecretsField.name) !== undefined;
		// An agent that names fields, or secrets, wants those
		const isNamed = isWanted || textOf(fieldListField.name) !== undefined;
		if (isSimplified(context, item.isForAgent && !isNamed)) {
			return { records: [simplifiedOrder(info, answeredAt)] };
		}
		const { shown, hidden } = isWanted ? { shown: info, hidden: [] } : withoutSecrets(info);
		return {
			records: [toRecord(readableOrder(shown, answeredAt))],
			hint:
				hidden.length === 0
					? undefined
					: `Secret fields were left out: ${hidden.join(', ')}. To get them, turn on 'Include Secrets' in 'Options'.`,
		};
	},
});
