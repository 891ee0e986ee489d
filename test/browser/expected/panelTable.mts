import type { Field } from '../../../nodes/shared/fields/field';
import type { Conditions } from '../../../nodes/shared/fields/conditions';
import { at, isRecord } from '../../../harness/outsideData.mts';
import type { SeenField } from '../editor/nodePanel.mts';

type Value = Conditions[string][number];

/** Values of a node's fields, by their names. */
export type Parameters = Readonly<Record<string, Value>>;

/** Something in the panel, and under which values of other fields it is there. */
export interface PanelEntry {
	/** A field of the node; a text for what has no value: a notice, or the heading of a collection. */
	readonly shows: Field | string;
	readonly when: Conditions;
}

/** From top to bottom; a field comes after those that decide about it. */
export type PanelTable = readonly PanelEntry[];

export function always(shows: Field | string): PanelEntry {
	return { shows, when: {} };
}

interface ShownEntry {
	readonly entry: PanelEntry;
	readonly value: unknown;
}

/** What the table says is there: a field that is not filled in has its first value. */
function shownEntries(table: PanelTable, given: Parameters): ShownEntry[] {
	const values = new Map<string, unknown>();
	const shown: ShownEntry[] = [];
	for (const entry of table) {
		const conditions = Object.entries(entry.when);
		const isThere = conditions.every(([name, allowed]) =>
			allowed.some((value) => value === values.get(name)),
		);
		if (!isThere) continue;
		const { shows } = entry;
		const value =
			typeof shows === 'string' ? undefined : (given[shows.name] ?? shows.kind.property.default);
		if (typeof shows !== 'string') values.set(shows.name, value);
		shown.push({ entry, value });
	}
	return shown;
}

/** The fields that the editor has to show for these values, as it has to show them. */
export function expectedFields(table: PanelTable, given: Parameters): SeenField[] {
	return shownEntries(table, given).map(({ entry: { shows }, value }) =>
		typeof shows === 'string' ? { label: shows } : fieldWithValue(shows, value),
	);
}

function fieldWithValue({ displayName, kind }: Field, value: unknown): SeenField {
	const { type, options, typeOptions } = kind.property;
	const label = displayName;
	if (type === 'options') {
		const chosen = (options ?? []).find((option) => at(option, 'value') === value);
		return { label, value: chosen?.name };
	}
	if (type === 'boolean') return { label, value: value === true ? 'on' : 'off' };
	if (type === 'number') {
		const { minValue: min, maxValue: max } = typeOptions ?? {};
		return { label, value: String(value), min, max };
	}
	// An empty list shows nothing but its placeholder
	return { label, value: isRecord(value) ? '' : String(value) };
}

function decidingNames(table: PanelTable): Set<string> {
	return new Set(table.flatMap(({ when }) => Object.keys(when)));
}

function choicesOf({ kind }: Field): Value[] {
	const { type, options } = kind.property;
	if (type === 'boolean') return [false, true];
	return (options ?? []).flatMap((option) => {
		const value = at(option, 'value');
		return typeof value === 'string' || typeof value === 'number' ? [value] : [];
	});
}

/**
 * Values of the fields that decide about others. Each choice of each such field is in one of the sets
 * at least, and where a field differs from case to case, each choice of each of its forms. Every entry
 * of the table is there in one of them.
 */
export function everyDecision(table: PanelTable): Parameters[] {
	const deciding = decidingNames(table);
	const choicesSeen = new Map<PanelEntry, Set<unknown>>();
	const sets: Parameters[] = [];
	const visit = (given: Parameters): void => {
		sets.push(given);
		const shown = shownEntries(table, given);
		for (const { entry, value } of shown) {
			choicesSeen.set(entry, (choicesSeen.get(entry) ?? new Set()).add(value));
		}
		for (const { entry } of shown) {
			const { shows: field } = entry;
			if (typeof field === 'string' || !deciding.has(field.name)) continue;
			for (const choice of choicesOf(field)) {
				const next = { ...given, [field.name]: choice };
				const isNew = choicesSeen.get(entry)?.has(choice) !== true;
				const showsNew = shownEntries(table, next).some((other) => !choicesSeen.has(other.entry));
				if (isNew || showsNew) visit(next);
			}
		}
	};
	visit({});
	return sets;
}

/** The values in words, for messages. */
export function inWords(given: Parameters): string {
	const values = Object.entries(given).map(([name, value]) => `${name} ${value}`);
	return values.join(', ') || 'the first values';
}
