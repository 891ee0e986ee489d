import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { isList } from '../guards';

/** A value that the service cannot be sent at all, or that is outside of what it accepts. */
export interface NotAccepted {
	readonly notAccepted: true;
}

const NOT_ACCEPTED: NotAccepted = { notAccepted: true };

/** The text to send, `undefined` where nothing was entered and nothing is to be sent, or a refusal. */
export type Reading = string | undefined | NotAccepted;

export function isNotAccepted(reading: Reading): reading is NotAccepted {
	return typeof reading === 'object';
}

/** How one kind of value looks in the editor, what it accepts, and how it is sent. */
export interface ValueKind {
	readonly property: Pick<INodeProperties, 'type' | 'default' | 'options' | 'typeOptions'>;
	/** Continues "Allowed: …". */
	readonly allowed: string;
	/** The value that says "nothing in particular"; the same as leaving the field out. */
	readonly neutral?: string;
	/** The value as text, whatever its range. Refuses only what has no sensible text. */
	toText(value: unknown): Reading;
	/** Whether the service documents this text as acceptable. */
	accepts(text: string): boolean;
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

/** Numbers and texts; expressions and AI tools give either, whatever the editor limits. */
function simpleText(value: unknown): Reading {
	if (isEmpty(value)) return undefined;
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' && Number.isFinite(value) ? String(value) : NOT_ACCEPTED;
}

/** Such as 100,000: the editor and the messages are in English. */
export function inWords(value: number): string {
	return value.toLocaleString('en-US');
}

export function wholeNumber(min: number, max: number, preset: number): ValueKind {
	return {
		property: { type: 'number', default: preset, typeOptions: { minValue: min, maxValue: max } },
		allowed: `a whole number from ${inWords(min)} to ${inWords(max)}`,
		toText: simpleText,
		accepts: (text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max,
	};
}

/** A choice from the service's own values; numeric codes stay numbers in the editor. */
export function choice(options: readonly INodePropertyOptions[], neutral?: string): ValueKind {
	const names = options.map(({ name, value }) => `${String(value)} (${name})`);
	return {
		property: { type: 'options', options: [...options], default: options[0].value },
		allowed: names.join(', '),
		neutral,
		toText: simpleText,
		accepts: (text) => options.some(({ value }) => String(value) === text),
	};
}

const SAYS_YES = new Set<unknown>([true, 'true', 1, '1']);
const SAYS_NO = new Set<unknown>([false, 'false', 0, '0']);

/** "Fixed 1": the service knows 1, or the parameter is left out. */
export const flag: ValueKind = {
	property: { type: 'boolean', default: true },
	allowed: 'true or false',
	toText(value) {
		const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
		if (isEmpty(plain) || SAYS_NO.has(plain)) return undefined;
		return SAYS_YES.has(plain) ? '1' : NOT_ACCEPTED;
	},
	accepts: (text) => text === '1',
};

/** Commas as typed on English and Chinese keyboards, the Chinese list mark, and any white space. */
const LIST_SEPARATOR = /[,，、;；\s]+/u;

/** A list: text with separators, or an array from an expression. It is sent as text with commas. */
export function list(allowed: string, acceptsEntry: (entry: string) => boolean): ValueKind {
	return {
		property: { type: 'string', default: '' },
		allowed,
		toText(value) {
			if (isEmpty(value)) return undefined;
			const entries = isList(value) ? value.map(simpleText) : [simpleText(value)];
			if (entries.some(isNotAccepted)) return NOT_ACCEPTED;
			const parts = entries.flatMap((entry) =>
				typeof entry === 'string' ? entry.split(LIST_SEPARATOR) : [],
			);
			const filled = parts.filter((part) => part !== '');
			return filled.length === 0 ? undefined : [...new Set(filled)].join(',');
		},
		accepts: (text) => text.split(',').every(acceptsEntry),
	};
}
