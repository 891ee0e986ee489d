import type { IExecuteFunctions } from 'n8n-workflow';

import { formatNumber } from '../../../shared/wording';
import { NodeRecords } from '../../run/nodeRecords';

/** Number of records of pages that n8n keeps: a crawl has two for each page. */
const MOST_PAGE_RECORDS = 20_000;

const WITHOUT_WORKFLOW =
	"'Skip Opened Pages' did nothing, because n8n keeps no records of a workflow that isn't saved. Save the workflow.";

const UNREADABLE_RECORDS =
	"'Skip Opened Pages' did nothing, because n8n's records of this node could not be read or written. Look into n8n's log for its database, and run the node again.";

/**
 * Pages that a node has put out in earlier executions, for 'Skip Opened Pages'.
 *
 * n8n can't be asked for a record without making it, and a question that is interrupted leaves it there. So each question
 * is recorded before it is asked, and taken back after that: a page with an unfinished question does not count as opened.
 */
export class OpenedPages {
	private readonly records: NodeRecords;

	/** Questions that are being asked, or were interrupted. */
	private readonly questions: NodeRecords;

	/** Texts whose questions were interrupted. */
	private readonly doubtful = new Set<string>();

	/** Texts for later executions, which see them only when they are recorded. */
	readonly noted = new Set<string>();

	private hasFailed = false;

	private readonly isSaved: boolean;

	/** How many pages, or links to them, were left out. */
	skipped = 0;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'page:', MOST_PAGE_RECORDS);
		this.questions = new NodeRecords(context, 'page?:', MOST_PAGE_RECORDS);
		this.isSaved = Boolean(context.getWorkflow().id);
	}

	/** The texts that earlier executions have recorded, as far as that is certain. */
	async openedBefore(texts: readonly string[]): Promise<ReadonlySet<string>> {
		if (texts.length === 0 || this.hasFailed) return new Set();
		const doubtful = await this.questions.record(texts);
		const certain = texts.filter((text) => doubtful?.has(text) === false);
		const recorded = doubtful === undefined ? undefined : await this.records.known(certain);
		if (doubtful === undefined || recorded === undefined) {
			this.hasFailed = true;
			return new Set();
		}
		for (const text of doubtful) this.doubtful.add(text);
		await this.questions.forget(certain);
		return recorded;
	}

	/** Records what was noted. Only where the pages come out: whoever did not get them needs them again. */
	async record(): Promise<void> {
		const texts = [...this.noted];
		if (texts.length === 0) return;
		const before = await this.records.record(texts);
		if (before === undefined) this.hasFailed = true;
		else await this.questions.forget(texts.filter((text) => this.doubtful.has(text)));
	}

	get hints(): string[] {
		const skipped = `Left out, because earlier executions opened them: ${formatNumber(this.skipped)}.`;
		return [
			...(this.skipped > 0 ? [skipped] : []),
			...(this.hasFailed ? [this.isSaved ? UNREADABLE_RECORDS : WITHOUT_WORKFLOW] : []),
		];
	}
}
