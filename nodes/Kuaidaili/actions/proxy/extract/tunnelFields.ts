import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import type { Field } from '../../../../shared/fields/field';
import type { FieldReader } from '../../../../shared/fields/readFields';
import {
	choice,
	oneOrZero,
	type ChoiceOption,
	type ChoiceSettings,
	type ValueKind,
} from '../../../../shared/fields/valueKinds';
import { parameter } from './commonFields';
import type { LoginWishes } from './login';

export const ptField = parameter(
	'pt',
	'Protocol',
	'The protocol for connecting to the proxy. HTTP works for https pages, too.',
	choice(
		[
			{ name: 'HTTP', value: 1 },
			{ name: 'SOCKS5', value: 2 },
		],
		{ neutral: '1' },
	),
);

export function schemeOf(reader: FieldReader): 'http' | 'socks5' {
	return reader.text(ptField.name) === '2' ? 'socks5' : 'http';
}

export const sessionPerItemField: Field = {
	name: 'sessionPerItem',
	displayName: 'Session per Item',
	description: 'Whether each input item gets its own session, and with it its own IP',
	kind: oneOrZero,
};

export function sessionField(description: string, kind: ValueKind): Field {
	return {
		name: 'session',
		displayName: 'Session',
		description,
		kind,
		when: { [sessionPerItemField.name]: [false] },
	};
}

export const NEW_IP_EACH_TIME: ChoiceOption = { name: 'New IP for Each Request', value: 0 };

const MINUTES = Array.from({ length: 30 }, (_, index) => index + 1);

/**
 * @param others below a minute
 * @param settings of the choice
 */
export function sessionMinutesField(
	others: readonly ChoiceOption[],
	settings: ChoiceSettings = {},
): Field {
	const minutes = MINUTES.map((value) => ({
		name: `${value} Minute${value === 1 ? '' : 's'}`,
		value,
	}));
	return {
		name: 'sessionMinutes',
		displayName: 'Session Length',
		description: 'How long a session keeps its IP',
		kind: choice([...others, ...minutes], settings),
	};
}

/** Pairs for the user name; those without a value are left out. */
export function suffixesOf(
	pairs: ReadonlyArray<readonly [name: string, value: string | undefined]>,
): NonNullable<LoginWishes['suffixes']> {
	return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

export function hasWishes({ lock, suffixes = [], suffix = '' }: LoginWishes): boolean {
	return lock !== undefined || suffixes.length > 0 || suffix !== '';
}

/** @throws InvalidFieldError */
export function refuseWishesWithoutLogin(label: string): never {
	throw new InvalidFieldError(
		label,
		'None',
		"Sessions, places and suffixes are part of the login. Choose 'In the URL', or clear those fields.",
	);
}
