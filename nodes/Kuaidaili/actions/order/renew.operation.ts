import type { INodeProperties } from 'n8n-workflow';

import { readField, readRequiredField, toProperty } from '../../../shared/fields/field';
import { readVariants, variantProperties } from '../../../shared/fields/fieldVariants';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { fromChinaTime } from '../../../shared/service/chinaTime';
import { optionsCollection } from '../../descriptions/callOptions';
import { maxOrdersPerRunField } from '../../purchase/purchaseLimits';
import { purchaseNotice } from '../../purchase/purchaseNotice';
import { purchaseOnce, type Purchase } from '../../purchase/purchaseOnce';
import { readBought } from '../../purchase/readBought';
import type { PurchaseWords } from '../../purchase/unclearPurchase';
import type { Operation } from '../operation';
import { isNotifyField } from './notifyField';
import { lifetimeField, RENEWAL_FIELDS, renewalOfField } from './renew/fields';

const WORDS: Readonly<Record<string, PurchaseWords>> = {
	prepaid: {
		unclear: 'The order may have been renewed',
		what: 'renewal of a prepaid order',
		howToFindOut:
			'Look at the expiry time of the order in the Kuaidaili member centre, or ask /api/getorderexpiretime with an HTTP Request node and this credential.',
		otherwise:
			'If it has not moved a few minutes later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.',
	},
	perIp: {
		unclear: 'The IPs may have been bought',
		what: 'more IPs for a pay-per-IP order',
		howToFindOut:
			'Look at the IP balance of the order in the Kuaidaili member centre, or ask /api/getipbalance (host dps.kdlapi.com) with an HTTP Request node and this credential.',
		otherwise:
			'If it has not grown a few minutes later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.',
	},
	traffic: {
		unclear: 'The traffic may have been bought',
		what: 'more traffic for an overseas order',
		howToFindOut: 'Look at the traffic left of the order in the Kuaidaili member centre.',
		otherwise:
			'If it has not grown a few minutes later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.',
	},
};

function planRenewal(
	valueOf: (name: string) => unknown,
	options: UnknownRecord,
	check: boolean,
): Purchase {
	const renewalOf = readRequiredField(renewalOfField, valueOf(renewalOfField.name), true);
	const given = new Map([[renewalOfField.name, renewalOf]]);
	if (renewalOf === 'perIp') {
		const lifetime = readRequiredField(lifetimeField, valueOf(lifetimeField.name), true);
		given.set(lifetimeField.name, lifetime);
	}
	const parameters = readVariants(RENEWAL_FIELDS, valueOf, check, given);
	const isNotify = readField(isNotifyField, ownValue(options, isNotifyField.name), check);
	if (isNotify !== undefined) parameters[isNotifyField.serviceName] = isNotify;
	return {
		endpoint: 'renewOrder',
		parameters,
		words: WORDS[renewalOf],
		read(answer) {
			const data = readBought(answer);
			const expiresAt = fromChinaTime(data.expire_time);
			return {
				record: expiresAt === undefined ? data : { ...data, expiresAt },
				label: `renewal of order ${data.orderid}`,
			};
		},
	};
}

const ownProperties: INodeProperties[] = [
	toProperty(renewalOfField),
	{ ...toProperty(lifetimeField), displayOptions: { show: { renewalOf: ['perIp'] } } },
];

export const renewOperation: Operation = {
	option: {
		name: 'Renew',
		value: 'renew',
		action: 'Renew order, paid at once from the account balance',
		description: 'Renew the order of the credential. It is paid at once from the account balance.',
	},
	properties: [
		purchaseNotice,
		...ownProperties,
		...variantProperties(RENEWAL_FIELDS),
		optionsCollection([isNotifyField, maxOrdersPerRunField].map(toProperty)),
	],
	purchases: { done: 'renewals were made' },
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const record = await purchaseOnce(context, itemIndex, (options, check) =>
			planRenewal(valueOf, options, check),
		);
		return { records: [record] };
	},
};
