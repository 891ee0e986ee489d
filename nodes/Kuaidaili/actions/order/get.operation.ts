import { readField, serviceField, toProperty, type Field } from '../../../shared/fields/field';
import { flag, list } from '../../../shared/fields/valueKinds';
import type { UnknownRecord } from '../../../shared/guards';
import { withExpiry } from '../../../shared/orders/expiry';
import { fetchOrderInfo } from '../../../shared/orders/orderInfo';
import { isOn, optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { accessOrderOfItem, orderProperty } from '../../parameters/orderAccess';
import { toRecord } from '../../../shared/toRecord';
import type { Operation } from '../operation';

const fieldListField = serviceField({
	serviceName: 'field_list',
	displayName: 'Fields',
	description: 'Names of the fields to get, separated by commas; empty for all',
	placeholder: 'e.g. status,expire_time',
	kind: list('names of fields, separated by commas, such as status,expire_time', (name) =>
		/^\w{1,64}$/.test(name),
	),
});

const includeSecretsField: Field = {
	name: 'includeSecrets',
	displayName: 'Include Secrets',
	description:
		'Whether to put out secrets too, such as the password of a tunnel. n8n then saves them with the execution.',
	kind: flag,
};

const SECRET_NAME = /password|passwd|secret|token|credential|(?:^|_)key$/i;

function withoutSecrets(info: UnknownRecord): { shown: UnknownRecord; hidden: string[] } {
	const entries = Object.entries(info);
	return {
		shown: Object.fromEntries(entries.filter(([name]) => !SECRET_NAME.test(name))),
		hidden: entries.map(([name]) => name).filter((name) => SECRET_NAME.test(name)),
	};
}

export const getOperation: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get an order',
		description: 'Get the details of an order, with its expiry',
	},
	properties: [
		orderProperty,
		toProperty(fieldListField),
		optionsCollection([toProperty(includeSecretsField)]),
	],
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const callOptions = readCallOptions(valueOf('options'));
		const { options, check } = callOptions;
		const fields = readField(fieldListField, valueOf(fieldListField.name), { check });
		const includeSecrets = isOn(includeSecretsField, options);
		const { caller } = await accessOrderOfItem(context, itemIndex, callOptions);
		const { info, answeredAt } = await fetchOrderInfo(caller, fields);
		const { shown, hidden } = includeSecrets ? { shown: info, hidden: [] } : withoutSecrets(info);
		return {
			records: [toRecord(withExpiry(shown, answeredAt))],
			hint:
				hidden.length === 0
					? undefined
					: `Left out because they are secret: ${hidden.join(', ')}. Switch on 'Include Secrets' in 'Options' to get them.`,
		};
	},
};
