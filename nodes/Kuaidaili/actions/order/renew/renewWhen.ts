import type { Field } from '../../../../shared/fields/field';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { choice, typedAmount, type ChoiceOption } from '../../../../shared/fields/valueKinds';
import { expiringWithin, type TimeWindow } from '../../../../shared/orders/timeWindow';
import { formatNumber } from '../../../../shared/wording';
import { shortestMs, type RenewalTerm } from './renewedExpiry';

const RENEW_WHEN = 'renewWhen';

const ALWAYS: ChoiceOption = {
	name: 'Always',
	value: 'always',
	description: 'Renews every time. A workflow that runs twice renews twice.',
};

/** One per kind of order: each offers only what can be asked for that kind. */
function renewWhen(renewalOf: string, condition: ChoiceOption): Field {
	return {
		name: RENEW_WHEN,
		displayName: 'Renew',
		description: 'When to renew the order',
		kind: choice([condition, ALWAYS]),
		when: { renewalOf: [renewalOf] },
		required: true,
		decides: true,
	};
}

const onlyExpiring = { renewalOf: ['prepaid'], [RENEW_WHEN]: ['expiring'] };

const BALANCE_BELOW = 'balanceBelow';

/** When to renew, by what is renewed. */
export const RENEW_WHEN_FIELDS: readonly Field[] = [
	renewWhen('prepaid', {
		name: 'Only If Expiring Within',
		value: 'expiring',
		description:
			'Checks the expiry first. Orders with more time left pass through at no cost, so a workflow that runs twice renews once.',
	}),
	renewWhen('perIp', {
		name: 'Only If IP Balance Below',
		value: 'ipBalanceBelow',
		description: 'Checks first how many IPs are left. Orders with enough pass through at no cost.',
	}),
	renewWhen('traffic', {
		name: 'Only If Traffic Below',
		value: 'trafficBelow',
		description:
			'Checks first how much traffic is left. Orders with enough pass through at no cost.',
	}),
	{ ...expiringWithin.amount, when: onlyExpiring, required: true },
	{ ...expiringWithin.unit, when: onlyExpiring, required: true },
	{
		name: BALANCE_BELOW,
		displayName: 'IP Balance Below',
		description: 'The order is renewed when it has fewer IPs left than this',
		kind: typedAmount({ min: 1, max: 1_000_000 }, 100),
		when: { renewalOf: ['perIp'], [RENEW_WHEN]: ['ipBalanceBelow'] },
		required: true,
	},
	{
		name: BALANCE_BELOW,
		displayName: 'Traffic Below (MB)',
		description: 'The order is renewed when it has less traffic left than this',
		kind: typedAmount({ min: 1, max: 10_000_000 }, 500),
		when: { renewalOf: ['traffic'], [RENEW_WHEN]: ['trafficBelow'] },
		required: true,
	},
];

/**
 * A renewed order must have more time left than the window, or the next run renews it again.
 *
 * @throws InvalidFieldError
 */
export function refuseShortTerm(window: TimeWindow, term: RenewalTerm): void {
	const shortest = shortestMs(term);
	// A renewed order that had already ended may count from the renewal, so a term equal to the window is
	// too short
	if (shortest === 0 || shortest > window.ms) return;
	throw new InvalidFieldError(
		expiringWithin.amount.displayName,
		window.inWords,
		"The renewal adds no more than that, so a second run could renew once more. Choose a shorter time here or a longer 'Duration', or set 'Renew' to 'Always'.",
	);
}

/**
 * A renewed order must have at least as much left as the limit, or the next run renews it again.
 *
 * @param fieldLabel of the limit
 * @throws InvalidFieldError
 */
export function refuseSmallTopUp(fieldLabel: string, below: number, added: number): void {
	if (added >= below) return;
	throw new InvalidFieldError(
		fieldLabel,
		below,
		`The renewal adds ${formatNumber(added)} only, so a second run could renew once more. Choose a lower number here, buy more, or set 'Renew' to 'Always'.`,
	);
}
