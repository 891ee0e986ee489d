import type { IExecuteFunctions } from 'n8n-workflow';

import { formatNumber } from '../../../shared/wording';
import { NodeRecords } from '../../run/nodeRecords';

/** Number of pages of which n8n keeps a record. */
const MOST_PAGE_RECORDS = 20_000;

/** The record of a page that came out: it is done, or it leads to others that are still to be opened. */
function recordText(key: string, leads: boolean): string {
	return leads ? `leads ${key}` : key;
}

const WITHOUT_WORKFLOW =
	"'Skip Opened Pages' did nothing, because n8n keeps no records of a workflow that isn't saved. Save the workflow.";

const UNREADABLE_RECORDS =
	"'Skip Opened Pages' did nothing, because n8n's records of this node could not be read or written. Look into n8n's log for its database, and run the node again.";

/** Pages that a node has put out in earlier executions, for 'Skip Opened Pages'. */
export class OpenedPages {
	private readonly records: NodeRecords;

	/** Pages of earlier executions by their keys, as far as they were asked for, and whether they lead to others. */
	private readonly before = new Map<string, boolean>();

	/** Pages of this execution in the same way, for later ones: they see only what is recorded. */
	private readonly noted = new Map<string, boolean>();

	private hasFailed = false;

	private readonly isSaved: boolean;

	/** How many pages, or links to them, were left out. */
	skipped = 0;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'page:', MOST_PAGE_RECORDS);
		this.isSaved = Boolean(context.getWorkflow().id);
	}

	/** Pages that earlier executions have put out, by their keys, and whether they lead to others that are still to be opened. */
	async openedBefore(keys: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
		if (keys.length === 0 || this.hasFailed) return new Map();
		const texts = keys.flatMap((key) => [recordText(key, false), recordText(key, true)]);
		const known = await this.records.known(texts);
		this.hasFailed = known === undefined;
		for (const key of keys) {
			if (known?.has(recordText(key, true)) === true) this.before.set(key, true);
			if (known?.has(recordText(key, false)) === true) this.before.set(key, false);
		}
		return this.before;
	}

	/** @param leads whether a page that came out leads to others that are still to be opened */
	note(key: string, leads = false): void {
		this.noted.set(key, leads);
	}

	/** Records what was noted. Only where the pages come out: whoever did not get them needs them again. */
	async record(): Promise<void> {
		const { before, noted } = this;
		const changed = [...noted].filter(([key, leads]) => before.get(key) !== leads);
		if (changed.length === 0) return;
		const recorded = await this.records.record(
			changed.map(([key, leads]) => recordText(key, leads)),
		);
		if (recorded === undefined) this.hasFailed = true;
		const replaced = changed
			.filter(([key]) => before.has(key))
			.map(([key, leads]) => recordText(key, !leads));
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
