import { isList, isRecord } from '../../../shared/guards';
import type { Row } from './tableRows';

/** Levels of an object whose values become columns. */
const MOST_FLAT_LEVELS = 8;

/** Columns that the objects of one row become. */
const MOST_FLAT_COLUMNS = 1000;

/** The most characters of the name of an object in the names of its columns. */
const LONGEST_PREFIX = 200;

/** Makes rows of JSON flat, as a table takes them: `shop_name` for a value of an object, a line for each text of a list. */
export class FlatRows {
	/** Columns that are objects in some row. */
	private readonly objects = new Set<string>();

	private room = 0;

	/** @param kept columns that stay as they are */
	constructor(private readonly kept: ReadonlySet<string>) {}

	flat(row: Row): Row {
		this.room = MOST_FLAT_COLUMNS;
		return row.flatMap(([name, value]) =>
			this.kept.has(name) ? [[name, value] as const] : this.columnsOf(name, value, 0),
		);
	}

	/** A flat row without what is null there and an object in others: a data table has no such column, and refuses the row. */
	settled(row: Row): Row {
		return row.filter(([name, value]) => value !== null || !this.objects.has(name));
	}

	private columnsOf(name: string, value: unknown, level: number): Row {
		if (isList(value)) {
			const isPlain = value.every((part) => !isList(part) && !isRecord(part));
			return [[name, isPlain ? value.join('\n') : JSON.stringify(value)]];
		}
		if (!isRecord(value)) return [[name, value]];
		const parts = Object.entries(value);
		this.room -= parts.length;
		if (level >= MOST_FLAT_LEVELS || this.room < 0) return [[name, JSON.stringify(value)]];
		this.objects.add(name);
		const prefix = name.slice(0, LONGEST_PREFIX);
		return parts.flatMap(([key, part]) => this.columnsOf(`${prefix}_${key}`, part, level + 1));
	}
}
