import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readRequiredField, toProperty, type Field } from '../../../../shared/fields/field';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { choice } from '../../../../shared/fields/valueKinds';
import { DescribedError } from '../../../../shared/transport/callErrors';
import { withExpiry } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
} from '../../../../shared/orders/timeWindow';
import { shortestMs, type RenewalTerm } from './renewedExpiry';

export const renewWhenField: Field = {
	name: 'renewWhen',
	displayName: 'Renew',
	description: 'Whether to look first how much time the order has left',
	kind: choice([
		{
			name: 'Only If Expiring Within',
			value: 'expiring',
			description:
				'Looks at the expiry first, and lets orders with more time left through at no cost. A workflow that runs twice does not renew twice.',
		},
		{
			name: 'Always',
			value: 'always',
			description: 'Renews in any case. A workflow that runs twice renews twice.',
		},
	]),
};

const onlyExpiring = { show: { [renewWhenField.name]: ['expiring'] } };

export const renewWhenProperties: INodeProperties[] = [
	toProperty(renewWhenField),
	{ ...toProperty(expiringWithin.amount), displayOptions: onlyExpiring },
	{ ...toProperty(expiringWithin.unit), displayOptions: onlyExpiring },
];

/**
 * How much time the order may have left to be renewed; undefined for "always".
 *
 * @throws InvalidFieldError
 */
export function readRenewWhen(valueOf: (name: string) => unknown): TimeWindow | undefined {
	const renewWhen = readRequiredField(renewWhenField, valueOf(renewWhenField.name));
	return renewWhen === 'always' ? undefined : readTimeWindow(expiringWithin, valueOf);
}

/**
 * A renewed order must have more time left than the window, or the next run renews it again.
 *
 * @throws InvalidFieldError
 */
export function refuseShortTerm(window: TimeWindow, term: RenewalTerm): void {
	const shortest = shortestMs(term);
	// An order that has ended may count from the renewal on: then as long as the window is too short
	if (shortest === 0 || shortest > window.ms) return;
	throw new InvalidFieldError(
		expiringWithin.amount.displayName,
		window.inWords,
		"The renewal adds no more than that, so a second run could renew once more. Choose a shorter time here or a longer 'Duration', or set 'Renew' to 'Always'.",
	);
}

/**
 * The output for an order that has more time left; undefined for one that is to be renewed.
 *
 * @throws DescribedError for an order that does not end
 */
export function notYetExpiring(
	{ expireTime, expiresAt, answeredAt }: OrderExpiry,
	window: TimeWindow,
): IDataObject | undefined {
	if (expiresAt === undefined) {
		throw new DescribedError({
			message: 'The order has no expiry time, so it cannot be told whether it is expiring',
			description:
				"Orders that are paid as used go on until they are closed. To renew another kind of order without looking, set 'Renew' to 'Always'. Nothing was bought for this item.",
		});
	}
	if (expiresAt - answeredAt <= window.ms) return undefined;
	return withExpiry(
		{
			renewed: false,
			reason: `The order has more than ${window.inWords} left, so nothing was bought`,
			expire_time: expireTime,
		},
		answeredAt,
	);
}
