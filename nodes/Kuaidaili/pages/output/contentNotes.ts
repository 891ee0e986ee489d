import { shortLine } from '../../../shared/fields/field';
import { isList, ownValue } from '../../../shared/guards';
import { formatNumber, plural } from '../../../shared/wording';
import type { OperationResult } from '../../run/operation';
import { countMatches } from '../content/pickedFields';
import type { PageRequest } from '../request/pageRequest';
import { shownUrl } from '../run/pageFailure';
import type { PageResult } from '../run/pageResult';

const BROWSERS_PAGE =
	'https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/blob/main/docs/browsers.md';

/** The part of a selector that picks one element among its siblings, as in what browsers copy. */
const ONE_SIBLING = /:nth-(?:last-)?(?:child|of-type)\(\d{1,9}\)/;

/** So many matches of each column make a page look like a list. */
const MANY_MATCHES = 3;

/** Pages of a run that are looked at for it. */
const PAGES_LOOKED_AT = 3;

/** Notes what the content of opened pages lacks, for hints at the end of a run. */
export class ContentNotes {
	/** The columns by their names, each with the number of items that have it. */
	private readonly columns = new Map<string, { selector: string; found: number }>();

	/** *Row Selector* of HTML; empty for none. */
	private rowSelector = '';

	private rows = 0;

	private pagesWithRows = 0;

	private rowlessPages = 0;

	private lastRowless = '';

	/** Pages without the structured data that was asked for, and the last of them in words. */
	private datalessPages = 0;

	private lastDataless = '';

	/** Whether one of them was asked for another type than what it is about. */
	private isTypeMissing = false;

	/** The first page whose lists differ in length, in words; empty for none. */
	private firstUneven = '';

	/** The first page on which each column has several matches, in words; empty for none. */
	private firstMany = '';

	/** How many pages were looked at for that. */
	private lookedForMany = 0;

	/** Pages of sessions that ask for a password after a log-in, and the first of them. */
	private lockedPages = 0;

	private firstLocked = '';

	private cutPages = 0;

	/** The first page that was not read to its end, in words. */
	private firstCut = '';

	private scriptedPages = 0;

	/** The first page that only scripts fill, in words. */
	private firstScripted = '';

	/** Notes a page that was opened, and what came out of it. */
	async note(
		{ fields, rowSelector, format, openRange }: PageRequest,
		page: PageResult,
		item: OperationResult,
	): Promise<void> {
		const { records } = item;
		const url = shownUrl(page.url);
		if (page.asksToLogIn === true) {
			this.lockedPages += 1;
			this.firstLocked ||= url;
		}
		// That is how such a range ends
		if (openRange?.isFollowing === true && records.length === 0) return;
		const lengths = new Map<string, number>();
		for (const { name, selector } of records.length > 0 ? fields : []) {
			const values = records.map((record) => ownValue(record, name));
			const isThere = (value: unknown) =>
				value !== null && value !== undefined && (!isList(value) || value.length > 0);
			const found = (this.columns.get(name)?.found ?? 0) + values.filter(isThere).length;
			this.columns.set(name, { selector, found });
			const [value] = values;
			if (rowSelector === undefined && isList(value)) lengths.set(name, value.length);
		}
		if (format === 'structuredData') {
			if (records.length === 0) {
				this.datalessPages += 1;
				this.lastDataless = url;
				this.isTypeMissing ||= rowSelector !== undefined;
			}
		} else if (rowSelector !== undefined) {
			if (page.content?.isHtml === true) this.rowSelector = rowSelector;
			this.noteRows(records.length, url);
		}
		if (new Set(lengths.values()).size > 1) {
			const counts = [...lengths].map(([name, length]) => `${formatNumber(length)} of '${name}'`);
			this.firstUneven ||= `${counts.join(', ')} on ${url}`;
		}
		if (format === 'fields' && rowSelector === undefined) await this.noteManyMatches(fields, page);
		const part = page.content?.partRead;
		if (part !== undefined) {
			this.cutPages += 1;
			const [read, all] = [part.readLength, part.length].map(formatNumber);
			this.firstCut ||= `the first ${read} of the ${all} characters of ${url}`;
		}
		const isShown = format !== 'file' && format !== 'json';
		const offer = isShown ? await page.content?.scriptedOffer() : undefined;
		if (offer === undefined) return;
		this.scriptedPages += 1;
		this.firstScripted ||= `${url} has ${offer}`;
	}

	/** Notes a page on which each column has several matches, so that it looks like a list. */
	private async noteManyMatches(fields: PageRequest['fields'], { content, url }: PageResult) {
		if (this.lookedForMany >= PAGES_LOOKED_AT || this.firstMany !== '') return;
		this.lookedForMany += 1;
		const columns = fields.filter(({ all }) => !all);
		if (columns.length === 0 || content?.isMarkup !== true) return;
		let first = '';
		for (const { selector } of columns) {
			const count = await countMatches(await content.html, selector);
			if (count < MANY_MATCHES) return;
			first ||= `${formatNumber(count)} elements match "${shortLine(selector)}" on ${shownUrl(url)}`;
		}
		this.firstMany = first;
	}

	private noteRows(count: number, url: string): void {
		this.rows += count;
		if (count > 0) {
			this.pagesWithRows += 1;
			return;
		}
		this.rowlessPages += 1;
		this.lastRowless = url;
	}

	/** Hints at selectors that a browser copied from one row. */
	private get selectorsOfOneRow(): string[] {
		const { rowSelector, rows, pagesWithRows, columns } = this;
		const [inRows] = ONE_SIBLING.exec(rowSelector) ?? [];
		if (inRows !== undefined && rows > 0 && rows === pagesWithRows) {
			return [
				`'Row Selector' picks one row of each page. If there are more, leave out of it what picks one, such as ${inRows}.`,
			];
		}
		const hints: string[] = [];
		for (const [name, { selector, found }] of columns) {
			const [part] = ONE_SIBLING.exec(selector) ?? [];
			const isInOneOfMany = found > 0 && found <= pagesWithRows && rows >= 3 * found;
			if (part === undefined || !isInOneOfMany) continue;
			hints.push(
				`'${name}' is in ${formatNumber(found)} of ${formatNumber(rows)} rows. If more have it, leave out of its selector what picks one, such as ${part}.`,
			);
		}
		return hints;
	}

	/** Whole sentences. */
	get hints(): string[] {
		const { rowlessPages, lastRowless, firstUneven, scriptedPages, firstScripted } = this;
		const { datalessPages, lastDataless, isTypeMissing } = this;
		const { cutPages, firstCut, lockedPages, firstLocked } = this;
		const empty = [...this.columns].filter(([, { found }]) => found === 0);
		const names = empty.map(([name]) => `'${name}'`);
		const hints: string[] = this.selectorsOfOneRow;
		if (rowlessPages > 0) {
			hints.push(
				`${plural(rowlessPages, 'page')} without a row, such as ${lastRowless}. If they have some, check 'Row Selector'; if they block you, say in 'Retry If' how they look.`,
			);
		}
		if (lockedPages > 0) {
			hints.push(
				`${plural(lockedPages, 'page')} of a session with a field for a password although it has logged in, such as ${firstLocked}. Check what 'Body' sends, and whether the site wants a hidden field of its form, too.`,
			);
		}
		if (datalessPages > 0) {
			hints.push(
				isTypeMissing
					? `${plural(datalessPages, 'page')} without structured data of the type in 'Row Selector', such as ${lastDataless}. Leave it empty for what each page is about, or choose another 'Response Format'.`
					: `${plural(datalessPages, 'page')} without structured data of what they are about, such as ${lastDataless}. Choose another 'Response Format' for them.`,
			);
		}
		if (cutPages > 0) {
			hints.push(
				`${plural(cutPages, 'page')} too large to be read whole, such as ${firstCut}. What stands behind that is missing.`,
			);
		}
		if (names.length > 0) {
			const what = `${names.join(', ')} ${names.length === 1 ? 'was' : 'were'}`;
			hints.push(`${what} found on no page. Check the selector in 'Fields'.`);
		}
		if (this.firstMany !== '') {
			hints.push(
				`${this.firstMany}; the first was taken. For an item of each, fill in 'Row Selector'.`,
			);
		}
		if (firstUneven !== '') {
			hints.push(
				`Lists of different lengths: ${firstUneven}. Their values do not belong together by their place. For an item of each row, fill in 'Row Selector'.`,
			);
		}
		if (scriptedPages > 0) {
			const filled = scriptedPages === 1 ? 'it' : 'them';
			hints.push(
				`${plural(scriptedPages, 'page')} with almost no text, because only JavaScript fills ${filled}: ${firstScripted}. See ${BROWSERS_PAGE}`,
			);
		}
		return hints;
	}
}
