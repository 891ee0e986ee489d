import type { INodeProperties } from 'n8n-workflow';

import type { FlatParameters } from '../../../shared/credential/signature';
import { readField, readRequiredField, toProperty } from '../../../shared/fields/field';
import { readFields } from '../../../shared/fields/readFields';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { accessOrder } from '../../../shared/orders/orderAccess';
import { orderField, orderProperty, readChosenOrder } from '../../../shared/orders/orderField';
import { withExpiry } from '../../../shared/orders/expiry';
import { orderExpiry, type OrderExpiry } from '../../../shared/orders/orderExpiry';
import { RENEW_ORDER } from '../../../shared/service/endpoints/purchase';
import type { Caller } from '../../../shared/transport/callService';
import { runQuery } from '../../../shared/transport/runQuery';
import { optionsCollection } from '../../parameters/callOptions';
import {
	minimumBalanceField,
	readMinimumBalance,
	refuseBelowMinimum,
} from '../../purchase/minimumBalance';
import { openPurchases } from '../../purchase/openPurchases';
import { maxOrdersPerRunField } from '../../purchase/purchaseLimits';
import { purchaseNotice } from '../../purchase/purchaseNotice';
import {
	purchaseOnce,
	type PreparedPurchase,
	type Purchase,
	type Verification,
} from '../../purchase/purchaseOnce';
import { parsePurchase } from '../../purchase/parsePurchase';
import { KeyedMutex } from '../../../shared/keyedMutex';
import { runPurchases } from '../../purchase/runPurchases';
import type { PurchaseWords } from '../../purchase/unclearPurchase';
import type { Operation } from '../operation';
import { isNotifyField } from './notifyField';
import { lifetimeField, RENEWAL_FIELDS, renewalOfField } from './renew/fields';
import { FreshExpiry } from './renew/freshExpiry';
import type { RenewalTerm } from './renew/renewedExpiry';
import {
	notYetExpiring,
	readRenewWhen,
	refuseShortTerm,
	renewWhenProperties,
} from './renew/renewWhen';
import { expiryBefore, findRenewal, type SentRenewal } from './renew/verifyRenewal';

/** For each order, by the id of its key pair. */
const renewalMutex = new KeyedMutex();

const WORDS: Readonly<Record<string, PurchaseWords>> = {
	prepaid: {
		unclear: 'The order may have been renewed',
		what: 'renewal of a prepaid order',
		howToFindOut:
			'Look at the expiry time of the order in the Kuaidaili member center, or ask /api/getorderexpiretime with an HTTP Request node and this credential.',
		otherwise:
			"If it has not moved a few minutes later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run looks by itself, and lets the order through if it was renewed.",
	},
	perIp: {
		unclear: 'The IPs may have been bought',
		what: 'more IPs for a pay-per-IP order',
		howToFindOut:
			'Look at the IP balance of the order in the Kuaidaili member center, or ask /api/getipbalance (host dps.kdlapi.com) with an HTTP Request node and this credential.',
		otherwise:
			'If it has not grown a few minutes later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.',
	},
	traffic: {
		unclear: 'The traffic may have been bought',
		what: 'more traffic for an overseas order',
		howToFindOut: 'Look at the traffic left of the order in the Kuaidaili member center.',
		otherwise:
			'If it has not grown a few minutes later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.',
	},
};

function termOf(parameters: FlatParameters): RenewalTerm | undefined {
	const { time_type, time_number } = parameters;
	return time_type === undefined || time_number === undefined
		? undefined
		: { timeType: time_type, timeNumber: Number(time_number) };
}

/**
 * Looks for a renewal afterwards.
 *
 * @throws where its expiry does not tell, and what `callService` throws
 */
async function findRenewalOf(
	order: Caller,
	before: OrderExpiry | undefined,
	{
		term,
		...renewal
	}: Pick<SentRenewal, 'orderid' | 'purchase'> & { term: RenewalTerm | undefined },
): Promise<Verification> {
	const { expiresAt, answeredAt } = before ?? {};
	if (expiresAt === undefined || answeredAt === undefined || term === undefined) {
		throw new Error('The expiry does not tell');
	}
	return await findRenewal(order, { ...renewal, before: expiresAt, sentAt: answeredAt, term });
}

function planRenewal(
	valueOf: (name: string) => unknown,
	options: UnknownRecord,
	check: boolean,
): Purchase {
	const orderid = readChosenOrder(valueOf(orderField.name), { check });
	const window = readRenewWhen(valueOf);
	const renewalOf = readRequiredField(renewalOfField, valueOf(renewalOfField.name));
	const given = new Map([[renewalOfField.name, renewalOf]]);
	if (renewalOf === 'perIp') {
		const lifetime = readRequiredField(lifetimeField, valueOf(lifetimeField.name));
		given.set(lifetimeField.name, lifetime);
	}
	const parameters = readFields(RENEWAL_FIELDS, valueOf, { check, given });
	const isNotify = readField(isNotifyField, ownValue(options, isNotifyField.name), { check });
	if (isNotify !== undefined) parameters[isNotifyField.serviceName] = isNotify;
	const minimumBalance = readMinimumBalance(options);
	const term = termOf(parameters);
	if (check && window !== undefined && term !== undefined) refuseShortTerm(window, term);
	return {
		endpoint: RENEW_ORDER,
		parameters,
		words: WORDS[renewalOf],
		async prepare(credential) {
			const { caller, account } = await accessOrder(credential, orderid);
			await refuseBelowMinimum(account, minimumBalance);
			const { secretId } = caller.credential;
			// Else two executions could see the same expiry, and both renew, or both take one renewal for theirs
			const release = await renewalMutex.lock(secretId, caller.signal);
			const look = async (): Promise<PreparedPurchase> => {
				const lookedAt = openPurchases.now();
				const before = await expiryBefore(caller, window !== undefined);
				const order = orderid === undefined ? {} : { orderid };
				const insteadOf = (expiry: OrderExpiry | undefined) => {
					const instead = window && expiry && notYetExpiring(expiry, window);
					return instead && { ...order, ...instead };
				};
				const instead = insteadOf(before);
				const ask = async () => await runQuery(caller, orderExpiry);
				const fresh =
					window && before && new FreshExpiry(ask, before, lookedAt, () => openPurchases.now());
				const purchase = openPurchases.begin(secretId, lookedAt);
				return {
					buyer: caller,
					instead,
					lookAgain: fresh && (async () => insteadOf(await fresh.refresh())),
					verify: async () =>
						await findRenewalOf(caller, fresh?.latest ?? before, { term, orderid, purchase }),
					settled({ outcome }) {
						if (outcome === 'unclear') openPurchases.endUnclear(purchase);
						else openPurchases.end(purchase);
						release();
					},
				};
			};
			return await look().catch((error: unknown): never => {
				release();
				throw error;
			});
		},
		read(answer) {
			const data = parsePurchase(answer);
			const record = withExpiry({ ...data, renewed: true }, answer.answeredAt);
			return { record, label: `renewal of order ${data.orderid}` };
		},
	};
}

const ownProperties: INodeProperties[] = [
	toProperty(renewalOfField),
	{ ...toProperty(lifetimeField), displayOptions: { show: { renewalOf: ['perIp'] } } },
];

const DONE = { done: 'renewals were made' };

export const renewOperation: Operation = {
	option: {
		name: 'Renew',
		value: 'renew',
		action: 'Renew order',
		description: 'Extend an order. The renewal is charged to the account balance.',
	},
	properties: [
		purchaseNotice,
		orderProperty,
		...renewWhenProperties,
		...ownProperties,
		...RENEWAL_FIELDS.map(toProperty),
		optionsCollection([isNotifyField, maxOrdersPerRunField, minimumBalanceField].map(toProperty)),
	],
	purchases: DONE,
	async executeAll(context) {
		return await runPurchases(context, DONE, async (itemIndex) => {
			const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
			const plan = (options: UnknownRecord, check: boolean) => planRenewal(valueOf, options, check);
			return await purchaseOnce(context, itemIndex, plan);
		});
	},
};
