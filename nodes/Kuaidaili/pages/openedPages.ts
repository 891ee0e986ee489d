import type { IExecuteFunctions } from 'n8n-workflow';

import { formatNumber } from '../../shared/wording';
import { NodeRecords } from '../nodeRecords';

/** Of a crawl, two for each page. */
const MOST_RECORDS = 20_000;

const WITHOUT_RECORDS =
	"'Skip Opened Pages' does nothing, because n8n keeps no records of this workflow. Save the workflow.";

/** Which pages a node has opened in earlier executions, for 'Skip Opened Pages'. */
export class OpenedPages {
	private readonly records: NodeRecords;

	private readonly opened = new Set<string>();

	private isWithoutRecords = false;

	/** How many pages are left out. */
	skipped = 0;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'page:', MOST_RECORDS);
	}

	/** @returns those of them that were noted in earlier executions */
	async known(texts: readonly string[]): Promise<ReadonlySet<string>> {
		const known = await this.records.known(texts);
		this.isWithoutRecords ||= known === undefined;
		return known ?? new Set();
	}

	/** For later executions, which see it only after `save`. */
	note(text: string): void {
		this.opened.add(text);
	}

	/** Only where the pages come out: whoever did not get them needs them again. */
	async save(): Promise<void> {
		await this.records.record([...this.opened]);
	}

	/** What the user should know; empty where there is nothing. */
	get hints(): string[] {
		return [
			...(this.skipped > 0
				? [`Left out, because earlier executions opened them: ${formatNumber(this.skipped)}.`]
				: []),
			...(this.isWithoutRecords ? [WITHOUT_RECORDS] : []),
		];
	}
}
