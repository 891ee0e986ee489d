import type { IDataObject } from 'n8n-workflow';

import { shortLine } from '../../../shared/fields/field';
import { formatNumber, plural } from '../../../shared/wording';
import { isRecord } from '../../../shared/guards';
import { valuesAt } from '../content/jsonPath';
import { keyOf, listedPageUrl, nextLinkOf, type NextLink } from '../content/nextLink';
import type { PageContent } from '../content/pageContent';
import { NO_SUCH_PAGE } from './classifyAttempt';
import { nextInRange } from '../request/pageAddresses';
import { requestFor } from '../http/fetchPage';
import type { PageRequest } from '../request/pageRequest';
import type { PageResult } from './pageResult';

/** Why lists have ended none of whose pages failed, as the continuation of "The list ended after 3 pages, ". */
const LIST_ENDS = {
	noLink: 'where there is no link to a next page',
	readBefore: 'where the link leads to a page that was read before',
	unclear: "where 'Next Page' picks several links, and none says that it leads to the next page",
	maxNextPages: "because of 'Max Next Pages' in 'Options'",
	noRow: 'where the next one has no row',
	sameRows: 'where the next one has the same rows',
	missing: 'where there is no further one (status 404)',
} as const;

/** The longest header `Link` that is read. */
const LONGEST_LINK_HEADER = 20_000;

/** The address that the header `Link` gives to the next page. */
function nextInHeader({ answer }: PageContent, url: string): string | undefined {
	const { link } = answer.headers;
	const header = Array.isArray(link) ? link.join(', ') : link;
	if (typeof header !== 'string') return undefined;
	const links = header.slice(0, LONGEST_LINK_HEADER).matchAll(/<([^<>]*)>([^<]*)/g);
	for (const [, address, parameters] of links) {
		const isNext = /;\s{0,9}rel\s{0,9}=\s{0,9}(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\b)/i.test(
			parameters,
		);
		if (isNext) return listedPageUrl(address, { baseUrl: url });
	}
	return undefined;
}

/** The link to the page that follows in a list. The header counts where the page has nothing that 'Next Page' picks. */
async function nextLinkIn(content: PageContent, url: string, nextPage: string): Promise<NextLink> {
	if (content.isMarkup) {
		const found = await nextLinkOf(await content.html, nextPage, url);
		return found ?? { url: nextInHeader(content, url), own: [] };
	}
	const { value } = await content.format('json').catch(() => ({ value: undefined }));
	const [found] = valuesAt(value, nextPage);
	if (found === undefined) return { url: nextInHeader(content, url), own: [] };
	const address = isRecord(found) ? (found.href ?? found.url) : found;
	const next = typeof address === 'string' ? listedPageUrl(address, { baseUrl: url }) : undefined;
	return { url: next, own: [] };
}

/** Addresses that the first page may have, by that of the second one: with ?page=1 for ?page=2, /page/1/ for /page/2/. */
function firstPagesBefore(second: string): string[] {
	const numbers = [...second.slice(0, 2000).matchAll(/(?<!\d)2(?!\d)/g)].slice(0, 5);
	return numbers.map(({ index }) => `${second.slice(0, index)}1${second.slice(index + 1)}`);
}

/** Parts of an item that tell of its page, unless they are columns, such as the addresses of details. */
const OF_PAGE: ReadonlySet<string> = new Set(['url', 'pageNumber', 'pageLinks', 'pageDetails']);

/** The rows of a page as a text, without what tells the page from others. */
function rowsInWords(records: readonly IDataObject[], fields: PageRequest['fields']): string {
	const columns = new Set(fields.map(({ name }) => name));
	const isOfRow = (name: string) => columns.has(name) || !OF_PAGE.has(name);
	const values = (record: IDataObject) => Object.entries(record).filter(([name]) => isOfRow(name));
	return JSON.stringify(records.map(values));
}

/** The pages of a list, which follow each other by *Next Page*, or by the numbers of a range without an end. */
export class PageList {
	/** Addresses that were read in this list, in one spelling. */
	private readonly read = new Set<string>();

	private nextPages = 0;

	/** How many pages came out. */
	pages = 0;

	/** Rows of the page before, of a range without an end. */
	private rowsBefore = '';

	/** Undefined until the list has ended, and where a page of it failed. */
	end?: keyof typeof LIST_ENDS;

	/** Names of links of the page at which the list ended, none of which is clearly the next one. */
	unclear: readonly string[] = [];

	/** The number of the page that was asked for last, from 1. */
	get pageNumber(): number {
		return this.nextPages + 1;
	}

	/**
	 * Finds the page that follows one that was opened.
	 *
	 * @returns undefined where the list ends
	 */
	async next(page: PageRequest, { content, url, error }: PageResult) {
		const { nextPage, maxNextPages, openRange } = page;
		if (openRange !== undefined && error === undefined) {
			if (this.nextPages >= maxNextPages) this.end = 'maxNextPages';
			if (this.end !== undefined) return undefined;
			this.nextPages += 1;
			return { ...page, ...nextInRange(openRange), isSchemeAdded: undefined };
		}
		if (nextPage === undefined || error !== undefined || content === undefined) return undefined;
		const { url: found, unclear, own } = await nextLinkIn(content, url, nextPage);
		for (const address of [page.url, url, ...own]) this.read.add(keyOf(address));
		if (found === undefined) this.end = this.nextPages === 0 && unclear ? 'unclear' : 'noLink';
		else if (this.read.has(keyOf(found))) this.end = 'readBefore';
		else if (this.nextPages >= maxNextPages) this.end = 'maxNextPages';
		this.unclear = unclear ?? [];
		if (found === undefined || this.end !== undefined) return undefined;
		for (const first of this.nextPages === 0 ? firstPagesBefore(found) : []) {
			this.read.add(keyOf(first));
		}
		this.nextPages += 1;
		const next = requestFor(found, { ...page, method: 'GET', body: undefined });
		return { ...next, address: next.url, isSchemeAdded: undefined };
	}

	/** Whether a range without an end leads to a page that is not there, so that nothing of it comes out. */
	endsBefore({ openRange }: PageRequest, { statusCode }: PageResult): boolean {
		const isEnd = openRange?.isFollowing === true && NO_SUCH_PAGE.has(statusCode);
		if (isEnd) this.end = 'missing';
		return isEnd;
	}

	/** Takes note of the items of a page. Returns false where they end a range without an end, and don't come out. */
	takes(
		{ openRange, rowSelector, format, fields }: PageRequest,
		records: readonly IDataObject[],
	): boolean {
		const hasRows = rowSelector !== undefined || format === 'structuredData';
		if (openRange !== undefined && hasRows) {
			const rows = rowsInWords(records, fields);
			if (records.length === 0) this.end = 'noRow';
			else if (rows === this.rowsBefore) this.end = 'sameRows';
			this.rowsBefore = rows;
			if (this.end === 'noRow' || this.end === 'sameRows') return false;
		}
		this.pages += 1;
		return true;
	}
}

/** Links that a hint names. */
const MOST_NAMED_LINKS = 8;

/** Why lists have ended, a sentence for each reason. */
export function describeListEnds(lists: readonly PageList[]): string[] {
	return Object.entries(LIST_ENDS).flatMap(([reason, words]) => {
		const ended = lists.filter(({ end }) => end === reason);
		const [first] = ended;
		if (first === undefined) return [];
		const pages = plural(Math.max(...ended.map((list) => list.pages)), 'page');
		const what =
			ended.length === 1
				? `The list ended after ${pages}`
				: `${formatNumber(ended.length)} lists ended after at most ${pages}`;
		const sentence = `${what}, ${words}.`;
		if (first.end === 'unclear') {
			const names = first.unclear.slice(0, MOST_NAMED_LINKS).map(shortLine).join(', ');
			return [`${sentence} They are: ${names}. Enter the selector of the link itself.`];
		}
		const hasNone = first.end === 'noLink' && ended.some((list) => list.pages === 1);
		return [hasNone ? `${sentence} If there is one, check 'Next Page'.` : sentence];
	});
}
