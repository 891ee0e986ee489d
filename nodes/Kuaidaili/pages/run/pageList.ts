import { eventLoopYielder } from '../../../shared/concurrency/wait';
import { formatNumber } from '../../../shared/wording';
import { compileSelector, type HtmlPage } from '../content/html';
import { valuesAt } from '../content/jsonPath';
import type { PageContent } from '../content/pageContent';
import { absoluteUrl, elementsOf } from '../content/tree';
import { requestFor } from '../http/fetchPage';
import { withoutFragment, type PageRequest } from '../request/pageRequest';
import type { PageResult } from './pageResult';

/** Why a list of pages has ended where none of its pages failed. */
export type ListEnd = 'noLink' | 'readBefore' | 'maxNextPages';

function listedPageUrl(address: string, base: string): string | undefined {
	if (address.trim() === '' || address.startsWith('#') || !URL.canParse(address, base)) {
		return undefined;
	}
	const { protocol, href } = new URL(address, base);
	return /^https?:$/.test(protocol) ? href : undefined;
}

/** The address of the first link that a selector picks, or that stands in what it picks. */
async function linkedUrl({ document, baseUrl, isXml }: HtmlPage, selector: string) {
	const pause = eventLoopYielder();
	const picks = compileSelector(selector, isXml);
	for (const picked of elementsOf(document)) {
		await pause();
		if (!picks(picked)) continue;
		for (const { attribs } of elementsOf(picked)) {
			const { href } = attribs;
			const url =
				href === undefined ? undefined : listedPageUrl(absoluteUrl(href, baseUrl), baseUrl);
			if (url !== undefined) return url;
		}
	}
	return undefined;
}

/** The address of the page that follows in a list; undefined for none. */
async function nextUrlIn(content: PageContent, url: string, nextPage: string) {
	if (content.isHtml) return await linkedUrl(await content.html, nextPage);
	const { value } = await content.format('json').catch(() => ({ value: undefined }));
	const [address] = valuesAt(value, nextPage);
	return typeof address === 'string' ? listedPageUrl(address, url) : undefined;
}

/** The pages of a list, which follow each other by *Next Page*. */
export class PageList {
	/** Addresses that were read in this list, without fragments. */
	private readonly read = new Set<string>();

	private nextPages = 0;

	/** Undefined until the list has ended, and where a page of it failed. */
	end?: ListEnd;

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
		for (const address of [page.url, url]) this.read.add(withoutFragment(address));
		if (found === undefined) this.end = 'noLink';
		else if (this.read.has(withoutFragment(found))) this.end = 'readBefore';
		else if (this.nextPages >= maxNextPages) this.end = 'maxNextPages';
		if (found === undefined || this.end !== undefined) return undefined;
		this.nextPages += 1;
		return this.pageAfter(page, found);
	}

	/** Continues with an address that was found when the list was read before. */
	resume(page: PageRequest, url: string): PageRequest {
		this.read.add(withoutFragment(page.url));
		this.nextPages += 1;
		return this.pageAfter(page, url);
	}

	private pageAfter(page: PageRequest, url: string): PageRequest {
		const next = requestFor(url, { ...page, method: 'GET', body: undefined });
		return { ...next, address: next.url, isOneOfSeveral: true, isSchemeAdded: undefined };
	}
}

/** How many lists have ended for which reason, as a sentence; none where none has. */
export function describeListEnds(lists: readonly PageList[]): string[] {
	const count = (reason: ListEnd) => lists.filter(({ end }) => end === reason).length;
	const reasons: ReadonlyArray<readonly [ListEnd, string]> = [
		['noLink', "where 'Next Page' found no link"],
		['readBefore', 'where it led to a page that was read before'],
		['maxNextPages', "because of 'Max Next Pages'"],
	];
	const told = reasons
		.filter(([reason]) => count(reason) > 0)
		.map(([reason, words]) => `${formatNumber(count(reason))} ${words}`);
	return told.length === 0 ? [] : [`Lists of pages ended: ${told.join(', ')}.`];
}
