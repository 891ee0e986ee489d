import { eventLoopYielder } from '../../../shared/api/wait';
import { formatNumber } from '../../../shared/wording';
import { isRecord } from '../../../shared/guards';
import { compileSelector, type HtmlPage } from '../content/html';
import { valuesAt } from '../content/jsonPath';
import type { PageContent } from '../content/pageContent';
import { spelled } from '../content/pickedFields';
import { elementsOf, exactText, linkUrl, type AddressContext } from '../content/tree';
import { requestFor } from '../http/fetchPage';
import { withoutFragment, type PageRequest } from '../request/pageRequest';
import type { PageResult } from './pageResult';

/** Why lists have ended none of whose pages failed, as the continuation of "Lists of pages ended: 3 ". */
const LIST_ENDS = {
	noFirstLink: "where 'Next Page' found no link on the first page; check it if there is one",
	noLink: "where 'Next Page' found no link",
	readBefore: 'where it led to a page that was read before',
	maxNextPages: "because of 'Max Next Pages'",
} as const;

/** The address of a link to another page; undefined for one that leads to none. */
function listedPageUrl(href: string, page: AddressContext): string | undefined {
	const address = href.trim();
	if (address === '' || address.startsWith('#')) return undefined;
	const url = linkUrl(address, page);
	return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

/** The address of the first link that a selector picks, or that stands in what it picks; in XML also as its text. */
async function linkedUrl(page: HtmlPage, selector: string) {
	const pause = eventLoopYielder();
	const picks = compileSelector(selector, page.isXml);
	for (const picked of elementsOf(page.document)) {
		await pause();
		if (!picks(picked)) continue;
		for (const { attribs } of elementsOf(picked)) {
			const url = attribs.href === undefined ? undefined : listedPageUrl(attribs.href, page);
			if (url !== undefined) return url;
		}
		const url = page.isXml ? listedPageUrl(exactText(picked), page) : undefined;
		if (url !== undefined) return url;
	}
	return undefined;
}

/** The address of the page that follows in a list; undefined for none. */
async function nextUrlIn(content: PageContent, url: string, nextPage: string) {
	if (content.isMarkup) return await linkedUrl(await content.html, nextPage);
	const { value } = await content.format('json').catch(() => ({ value: undefined }));
	const [found] = valuesAt(value, nextPage);
	const address = isRecord(found) ? (found.href ?? found.url) : found;
	return typeof address === 'string' ? listedPageUrl(address, { baseUrl: url }) : undefined;
}

/** One spelling of an address, by which pages of a list are told apart. */
function listedPageKey(url: string): string {
	return spelled(withoutFragment(url));
}

/** The pages of a list, which follow each other by *Next Page*. */
export class PageList {
	/** Addresses that were read in this list, in one spelling. */
	private readonly read = new Set<string>();

	private nextPages = 0;

	/** Undefined until the list has ended, and where a page of it failed. */
	end?: keyof typeof LIST_ENDS;

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
		const { nextPage, maxNextPages } = page;
		if (nextPage === undefined || error !== undefined || content === undefined) return undefined;
		const found = await nextUrlIn(content, url, nextPage);
		for (const address of [page.url, url]) this.read.add(listedPageKey(address));
		if (found === undefined) this.end = this.nextPages === 0 ? 'noFirstLink' : 'noLink';
		else if (this.read.has(listedPageKey(found))) this.end = 'readBefore';
		else if (this.nextPages >= maxNextPages) this.end = 'maxNextPages';
		if (found === undefined || this.end !== undefined) return undefined;
		this.nextPages += 1;
		const next = requestFor(found, { ...page, method: 'GET', body: undefined });
		return { ...next, address: next.url, isOneOfSeveral: true, isSchemeAdded: undefined };
	}
}

/** How many lists have ended for which reason, as a sentence; none where none has. */
export function describeListEnds(lists: readonly PageList[]): string[] {
	const told = Object.entries(LIST_ENDS)
		.map(([reason, words]) => ({ count: lists.filter(({ end }) => end === reason).length, words }))
		.filter(({ count }) => count > 0)
		.map(({ count, words }) => `${formatNumber(count)} ${words}`);
	return told.length === 0 ? [] : [`Lists of pages ended: ${told.join(', ')}.`];
}
