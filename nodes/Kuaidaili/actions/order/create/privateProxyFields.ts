import type { Conditions } from '../../../../shared/fields/conditions';
import { serviceField, type ServiceField } from '../../../../shared/fields/field';
import { choice, rangeInWords, typedAmount } from '../../../../shared/fields/valueKinds';
import {
	DPS_FETCH_TYPES,
	DPS_LIFETIMES,
	WHITELIST_SIZE,
	type PrivateProxyLifetime,
} from '../../../../shared/service/orderTerms';

/** A field that is there under these conditions; others of its name have other values. */
export function variant(
	when: Conditions,
	field: Omit<ServiceField, 'name'>,
	required = true,
): ServiceField {
	return { ...serviceField(field), when, required };
}

export function whitelistSize(product: 'DPS' | 'KPS'): ServiceField {
	return variant(
		{ product: [product] },
		{
			serviceName: `${product.toLowerCase()}.whiteip_count`,
			displayName: 'Whitelist Size',
			description: 'How many addresses may use the proxies without a password',
			kind: typedAmount(WHITELIST_SIZE, WHITELIST_SIZE.preset),
		},
	);
}

interface LifetimeGroup {
	readonly when: Conditions;
	readonly lifetimes: readonly PrivateProxyLifetime[];
}

const lifetimeGroups: readonly LifetimeGroup[] = [
	...DPS_FETCH_TYPES.map(({ value }) => ({
		when: { product: ['DPS'], payType: ['PRE_PAY'], dpsFetchType: [value] },
		lifetimes: DPS_LIFETIMES.filter(({ fetchType }) => fetchType === value),
	})),
	{
		when: { product: ['DPS'], payType: ['PRE_PAY_IP'] },
		lifetimes: DPS_LIFETIMES.filter(({ payType }) => payType === 'PRE_PAY_IP'),
	},
];

/** One field per range, shown for all lifetimes of the group that have it. */
function ipCounts({ when, lifetimes }: LifetimeGroup): ServiceField[] {
	const ranges = new Set(lifetimes.map(({ range }) => rangeInWords(range)));
	return [...ranges].map((words) => {
		const sameRange = lifetimes.filter(({ range }) => rangeInWords(range) === words);
		const [{ range, payType }] = sameRange;
		const isPerDay = payType === 'PRE_PAY';
		return variant(
			{ ...when, dpsPeriod: sameRange.map(({ value }) => value) },
			{
				serviceName: 'dps.ip_count',
				displayName: isPerDay ? 'IPs per Day' : 'Number of IPs',
				description: isPerDay
					? 'How many IPs may be extracted each day; the range depends on the lifetime'
					: 'How many IPs to buy; the range depends on the lifetime',
				kind: typedAmount(range),
			},
		);
	});
}

const MINUTES = ' Minutes';

/** For two lines of a menu, such as "3 to 5, 10 to 30, 30 to 60 minutes, 3 to 4 hours". */
function lifetimesInShort(fetchType: number): string {
	const names = DPS_LIFETIMES.filter((lifetime) => lifetime.fetchType === fetchType).map(
		({ name }) => name,
	);
	const minutes = names.filter((name) => name.endsWith(MINUTES));
	const others = names.filter((name) => !name.endsWith(MINUTES));
	const inMinutes = minutes.map((name) => name.slice(0, -MINUTES.length)).join(', ');
	return [`${inMinutes}${MINUTES}`, ...others].join(', ').toLowerCase();
}

export const PRIVATE_PROXY_FIELDS: readonly ServiceField[] = [
	variant(
		{ product: ['DPS'], payType: ['PRE_PAY'] },
		{
			serviceName: 'dps.fetch_type',
			displayName: 'Extraction',
			description: 'When the IPs of a day can be taken. It decides which lifetimes there are.',
			kind: choice(
				DPS_FETCH_TYPES.map((type) => ({
					...type,
					description: `${type.description}; lifetimes: ${lifetimesInShort(type.value)}`,
				})),
			),
		},
	),
	...lifetimeGroups.map(({ when, lifetimes }) =>
		variant(when, {
			serviceName: 'dps.period',
			displayName: 'Lifetime',
			description:
				'dpsFetchType' in when
					? "How long each proxy works. 'Extraction' decides which lifetimes there are."
					: 'How long each proxy works',
			kind: choice(lifetimes),
		}),
	),
	...lifetimeGroups.flatMap(ipCounts),
	whitelistSize('DPS'),
];
