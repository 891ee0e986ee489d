import type { IExecuteFunctions } from 'n8n-workflow';

import { formatNumber } from '../../../shared/wording';
import { NodeRecords } from '../../run/nodeRecords';

/** Number of pages of which n8n keeps a record. */
const MOST_PAGE_RECORDS = 20_000;

/** The record of a page that came out: it is done, or it leads to others that are still to be opened. */
export type PageRecord = 'done' | 'leads';

function recordText(key: string, record: PageRecord): string {
	return record === 'done' ? key : `leads ${key}`;
}

const WITHOUT_WORKFLOW =
	"'Skip Opened Pages' did nothing, because n8n keeps no records of a workflow that isn't saved. Save the workflow.";

const UNREADABLE_RECORDS =
	"'Skip Opened Pages' did nothing, because n8n's records of this node could not be read or written. Look into n8n's log for its database, and run the node again.";

/** Pages that a node has put out in earlier executions, for 'Skip Opened Pages'. */
export class OpenedPages {
	private readonly records: NodeRecords;

	/** Records of earlier executions by the keys of their pages, as far as they were asked for. */
	private readonly before = new Map<string, PageRecord>();

	/** Records for later executions, which see them only when they are recorded. */
	private readonly noted = new Map<string, PageRecord>();

	private hasFailed = false;

	private readonly isSaved: boolean;

	/** How many pages, or links to them, were left out. */
	skipped = 0;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'page:', MOST_PAGE_RECORDS);
		this.isSaved = Boolean(context.getWorkflow().id);
	}

	/** The records that earlier executions have made of pages, by their keys. */
	async recordsOf(keys: readonly string[]): Promise<ReadonlyMap<string, PageRecord>> {
		if (keys.length === 0 || this.hasFailed) return new Map();
		const texts = keys.flatMap((key) => [recordText(key, 'done'), recordText(key, 'leads')]);
		const known = await this.records.known(texts);
		this.hasFailed = known === undefined;
		for (const key of keys) {
			if (known?.has(recordText(key, 'leads')) === true) this.before.set(key, 'leads');
			if (known?.has(recordText(key, 'done')) === true) this.before.set(key, 'done');
		}
		return this.before;
	}

	/** Notes a page that came out. */
	note(key: string, record: PageRecord): void {
		this.noted.set(key, record);
	}

	/** Records what was noted. Only where the pages come out: whoever did not get them needs them again. */
	async record(): Promise<void> {
		const { before, noted } = this;
		const changed = [...noted].filter(([key, record]) => before.get(key) !== record);
		if (changed.length === 0) return;
		const recorded = await this.records.record(
			changed.map(([key, record]) => recordText(key, record)),
		);
		if (recorded === undefined) this.hasFailed = true;
		const replaced = changed.flatMap(([key]) => {
			const record = before.get(key);
			return record === undefined ? [] : [recordText(key, record)];
		});
		if (replaced.length > 0) await this.records.forget(replaced);
	}

	get hints(): string[] {
		const skipped = `Left out, because earlier executions opened them: ${formatNumber(this.skipped)}.`;
		return [
			...(this.skipped > 0 ? [skipped] : []),
			...(this.hasFailed ? [this.isSaved ? UNREADABLE_RECORDS : WITHOUT_WORKFLOW] : []),
		];
	}
}
