import fc from 'fast-check';

import type { ExtraName, ExtractedProxy } from '../../../nodes/Kuaidaili/proxies/entries.ts';

/** One entry as the service sends it, and the item that it has to become. */
export interface Example {
	readonly requested: readonly ExtraName[];
	readonly entry: string;
	readonly proxy: ExtractedProxy;
}

interface Address {
	/** As in the entry. */
	readonly shown: string;
	/** As in the item. */
	readonly host: string;
}

const group = fc.integer({ min: 0, max: 0xffff });

const ipv4: fc.Arbitrary<Address> = fc.integer({ min: 0, max: 0xffff_ffff }).map((number) => {
	const host = [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
	return { shown: host, host };
});
const ipv6: fc.Arbitrary<Address> = fc
	.tuple(fc.array(group, { minLength: 1, maxLength: 8 }), fc.boolean())
	.map(([groups, upperCase]) => {
		const short = groups.map((one) => one.toString(16)).join(':') + (groups.length < 8 ? '::' : '');
		const host = upperCase ? short.toUpperCase() : short;
		return { shown: `[${host}]`, host };
	});
const hostName: fc.Arbitrary<Address> = fc
	.array(fc.tuple(fc.constantFrom(...'aZ9x'), fc.constantFrom('', '-b', 'cd-9')), {
		minLength: 1,
		maxLength: 3,
	})
	.map((labels) => {
		const host = [...labels.map((label) => label.join('')), 'example'].join('.');
		return { shown: host, host };
	});

export const address = fc.tuple(
	fc.oneof(ipv4, ipv6, hostName),
	fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(1, 80, 443, 8080, 65_535)),
);

/** Every subset of the four extra values, in the order of the service. */
export const requestedNames: fc.Arbitrary<ExtraName[]> = fc.subarray<ExtraName>([
	'region',
	'anonymity',
	'protocol',
	'responseTime',
]);

/** Without a colon, which could make it look like an address where spaces separate. */
const VALUE_CHARACTERS = [
	...'北京上海市电信高匿名秒支持',
	...'HTTPSabc019.-_/()%&<>"\';#+=',
	'𠀀',
	'é',
	' ',
	'|',
];
const word = fc.string({ unit: fc.constantFrom(...VALUE_CHARACTERS), maxLength: 8 });

/** Neither spaces nor bars together or at the ends, where they belong to the separator. */
export const value = word.map((text) =>
	text
		.replace(/[ |]*\|[ |]*/g, '|')
		.replace(/ +/g, ' ')
		.replace(/^[ |]+|[ |]+$/g, ''),
);

const around = fc.constantFrom('', '', '', ' ', '  ');

/** Entries in which everything that was requested is there. */
export function completeEntry(requested: readonly ExtraName[]): fc.Arbitrary<Example> {
	const values = requested.map(() => fc.tuple(around, value, around));
	return fc
		.tuple(address, fc.tuple(...values), fc.nat(3), around)
		.map(([[{ shown, host }, port], all, trailing, before]) => {
			const at = `${shown}:${port}`;
			const sent = all.map((parts) => `,${parts.join('')}`).join('');
			return {
				requested,
				entry: `${before}${at}${sent}${','.repeat(trailing)}`,
				proxy: {
					address: at,
					host,
					port,
					...Object.fromEntries(requested.map((name, index) => [name, all[index][1].trim()])),
				},
			};
		});
}
