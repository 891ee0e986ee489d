import type { IExecuteFunctions } from 'n8n-workflow';

import { formatNumber } from '../../../shared/wording';
import { NodeRecords } from '../../nodeRecords';

/** Of a crawl, two for each page. */
const MOST_RECORDS = 20_000;

const WITHOUT_RECORDS =
	"'Skip Opened Pages' does nothing, because n8n keeps no records of this workflow. Save the workflow.";

/** Which pages a node has opened in earlier executions, for 'Skip Opened Pages'. */
export class OpenedPages {
	readonly records: NodeRecords;

	/** For later executions, which see it only when it is recorded. */
	readonly noted = new Set<string>();

	private isWithoutRecords = false;

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

	get hints(): string[] {
		return [
			...(this.skipped > 0
				? [`Left out, because earlier executions opened them: ${formatNumber(this.skipped)}.`]
				: []),
			...(this.isWithoutRecords ? [WITHOUT_RECORDS] : []),
		];
	}
}
