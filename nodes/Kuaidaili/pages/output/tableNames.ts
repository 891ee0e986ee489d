import type { IDataObject } from 'n8n-workflow';

import { shortLine } from '../../../shared/fields/field';
import { enumerated } from '../../../shared/wording';
import type { PageRequest } from '../request/pageRequest';

/** Names of columns that n8n's data tables take. */
const TABLE_NAME = /^[a-z]\w{0,62}$/i;

/** Columns that each data table has of its own: what an item has of these names is left out. */
const OF_EACH_TABLE: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt']);

/** Items of a page that are looked at. */
const MOST_ITEMS = 100;

/** Names in the hint. */
const MOST_MISFITS = 5;

/** Columns of pages that a data table of n8n does not take, for a hint at the end of a run. */
export class TableNames {
	private readonly misfits = new Set<string>();

	/** Notes the columns of a page, which are those that its input item has not. */
	note({ format }: PageRequest, input: IDataObject, records: readonly IDataObject[]): void {
		if (format !== 'fields' && format !== 'structuredData') return;
		for (const record of records.slice(0, MOST_ITEMS)) {
			for (const name of Object.keys(record)) {
				if (this.misfits.size >= MOST_MISFITS) return;
				const fits = TABLE_NAME.test(name) && !OF_EACH_TABLE.has(name);
				if (!fits && !Object.hasOwn(input, name)) this.misfits.add(name);
			}
		}
	}

	/** A whole sentence; undefined where every column has a name that a data table takes. */
	get hint(): string | undefined {
		const [first] = this.misfits;
		if (first === undefined) return undefined;
		const plain = first.replace(/\W+/g, '_').replace(/^[\d_]+|_+$/g, '');
		const other = OF_EACH_TABLE.has(first) ? `item_${first}` : plain.slice(0, 60) || 'price';
		const names = [...this.misfits].map((name) => `'${shortLine(name)}'`);
		return `A data table of n8n does not take ${enumerated(names)}: it has id, createdAt, and updatedAt of its own, and other names are of Latin letters, digits, and _. For one, type another 'Name' in 'Fields', such as ${other}, or rename it with the node Edit Fields.`;
	}
}
