import { isList, ownValue } from '../../../shared/guards';
import { formatNumber, plural } from '../../../shared/wording';
import type { OperationResult } from '../../operation';
import { describeJavaScriptPage } from '../content/javaScriptPage';
import type { PageRequest } from '../request/pageRequest';
import { shownUrl } from '../run/pageFailure';
import type { PageResult } from '../run/pageResult';

const BROWSERS_PAGE =
	'https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/blob/main/docs/browsers.md';

/** Notes what the content of opened pages lacks, for hints at the end of a run. */
export class ContentNotes {
	/** Whether a page had a column, by its name. */
	private readonly columns = new Map<string, boolean>();

	private rowlessPages = 0;

	private lastRowless = '';

	/** The first page whose lists differ in length, in words; empty for none. */
	private firstUneven = '';

	private cutPages = 0;

	/** The first page that was not read to its end, in words. */
	private firstCut = '';

	private scriptedPages = 0;

	/** The first page that only scripts fill, in words. */
	private firstScripted = '';

	/** Notes a page that was opened, and what came out of it. */
	note(
		{ fields, rowSelector, format }: PageRequest,
		page: PageResult,
		item: OperationResult,
	): void {
		const { records } = item;
		const lengths = new Map<string, number>();
		for (const { name } of records.length > 0 ? fields : []) {
			const values = records.map((record) => ownValue(record, name));
			const isThere = (value: unknown) =>
				value !== '' && value !== undefined && (!isList(value) || value.length > 0);
			this.columns.set(name, this.columns.get(name) === true || values.some(isThere));
			const [value] = values;
			if (rowSelector === undefined && isList(value)) lengths.set(name, value.length);
		}
		const url = shownUrl(page.url);
		if (rowSelector !== undefined && records.length === 0) {
			this.rowlessPages += 1;
			this.lastRowless = url;
		}
		if (new Set(lengths.values()).size > 1) {
			const counts = [...lengths].map(([name, length]) => `${formatNumber(length)} of '${name}'`);
			this.firstUneven ||= `${counts.join(', ')} on ${url}`;
		}
		const part = page.content?.partRead;
		if (part !== undefined) {
			this.cutPages += 1;
			const [read, all] = [part.readLength, part.length].map(formatNumber);
			this.firstCut ||= `the first ${read} of the ${all} characters of ${url}`;
		}
		const isShown = format !== 'file' && format !== 'json' && page.content?.isHtml === true;
		const offer = isShown ? describeJavaScriptPage(page.content?.text ?? '', page.url) : undefined;
		if (offer === undefined) return;
		this.scriptedPages += 1;
		this.firstScripted ||= `${url} has ${offer}`;
	}

	/** Whole sentences. */
	get hints(): string[] {
		const { rowlessPages, lastRowless, firstUneven, scriptedPages, firstScripted } = this;
		const { cutPages, firstCut } = this;
		const empty = [...this.columns].filter(([, has]) => !has).map(([name]) => `'${name}'`);
		const hints: string[] = [];
		if (rowlessPages > 0) {
			hints.push(
				`${plural(rowlessPages, 'page')} without a row, such as ${lastRowless}. If they have some, check 'Row Selector'; if they block you, say in 'Retry If' how they look.`,
			);
		}
		if (cutPages > 0) {
			hints.push(
				`${plural(cutPages, 'page')} too large to be read whole, such as ${firstCut}. What stands behind that is missing.`,
			);
		}
		if (empty.length > 0) {
			const what = `${empty.join(', ')} ${empty.length === 1 ? 'was' : 'were'}`;
			hints.push(`${what} found on no page. Check the selector in 'Fields'.`);
		}
		if (firstUneven !== '') {
			hints.push(
				`Lists of different lengths: ${firstUneven}. Their values do not belong together by their place. For an item of each row, fill in 'Row Selector'.`,
			);
		}
		if (scriptedPages > 0) {
			hints.push(
				`${plural(scriptedPages, 'page')} with almost no text, because only JavaScript fills them: ${firstScripted}. See ${BROWSERS_PAGE}`,
			);
		}
		return hints;
	}
}
