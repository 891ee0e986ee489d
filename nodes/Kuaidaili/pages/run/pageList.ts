import { shortLine } from '../../../shared/fields/field';
import { formatNumber, plural } from '../../../shared/wording';
import { isRecord } from '../../../shared/guards';
import { valuesAt } from '../content/jsonPath';
import { keyOf, listedPageUrl, nextLinkOf, type NextLink } from '../content/nextLink';
import type { PageContent } from '../content/pageContent';
import { requestFor } from '../http/fetchPage';
import type { PageRequest } from '../request/pageRequest';
import type { PageResult } from './pageResult';

/** Why lists have ended none of whose pages failed, as the continuation of "The list ended after 3 pages, ". */
const LIST_ENDS = {
	noLink: 'where there is no link to a next page',
	readBefore: 'where the link leads to a page that was read before',
	unclear: "where 'Next Page' picks several links, and none says that it leads to the next page",
	maxNextPages: "because of 'Max Next Pages'",
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
		return found ?? { url: nextInHeader(content, url), own: [], back: [] };
	}
	const { value } = await content.format('json').catch(() => ({ value: undefined }));
	const [found] = valuesAt(value, nextPage);
	if (found === undefined) return { url: nextInHeader(content, url), own: [], back: [] };
	const address = isRecord(found) ? (found.href ?? found.url) : found;
	const next = typeof address === 'string' ? listedPageUrl(address, { baseUrl: url }) : undefined;
	return { url: next, own: [], back: [] };
}

/** Addresses that the first page may have, by that of the second one: with ?page=1 for ?page=2, /page/1/ for /page/2/. */
function firstPagesBefore(second: string): string[] {
	const numbers = [...second.slice(0, 2000).matchAll(/(?<!\d)2(?!\d)/g)].slice(0, 5);
	return numbers.map(({ index }) => `${second.slice(0, index)}1${second.slice(index + 1)}`);
}

/** The pages of a list, which follow each other by *Next Page*. */
export class PageList {
	/** Addresses that were read in this list, in one spelling. */
	private readonly read = new Set<string>();

	private nextPages = 0;

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
		const { nextPage, maxNextPages } = page;
		if (nextPage === undefined || error !== undefined || content === undefined) return undefined;
		const { url: found, unclear, own, back } = await nextLinkIn(content, url, nextPage);
		// "Back" may lead around to the last page
		const known = this.nextPages === 0 ? own : [...own, ...back];
		for (const address of [page.url, url, ...known]) this.read.add(keyOf(address));
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
		return { ...next, address: next.url, isOneOfSeveral: true, isSchemeAdded: undefined };
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
		const pages = plural(Math.max(...ended.map(({ pageNumber }) => pageNumber)), 'page');
		const what =
			ended.length === 1
				? `The list ended after ${pages}`
				: `${formatNumber(ended.length)} lists ended after at most ${pages}`;
		const sentence = `${what}, ${words}.`;
		if (first.end === 'unclear') {
			const names = first.unclear.slice(0, MOST_NAMED_LINKS).map(shortLine).join(', ');
			return [`${sentence} They are: ${names}. Enter the selector of the link itself.`];
		}
		const hasNone = first.end === 'noLink' && ended.some(({ pageNumber }) => pageNumber === 1);
		return [hasNone ? `${sentence} If there is one, check 'Next Page'.` : sentence];
	});
}
