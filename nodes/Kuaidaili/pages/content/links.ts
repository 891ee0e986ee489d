import type { Element } from 'domhandler';

import {
	absoluteUrl,
	collapsed,
	elementsOf,
	isElement,
	textOf,
	type HtmlPage,
	type Pause,
} from './tree';

export interface PageLink {
	/** Absolute, http or https, without a fragment. */
	readonly url: string;
	/** What a reader sees of the link, or the text of its picture; empty where there is neither. */
	readonly text: string;
}

function labelOf(link: Element): string {
	const text = textOf(link);
	if (text !== '') return text;
	const labels = [...elementsOf(link)].map(({ attribs }) => attribs.alt ?? attribs.title ?? '');
	return collapsed(labels.find((label) => label.trim() !== '') ?? '');
}

/** Empty for what leads to no page, or to another place of the same one. */
function targetOf({ name, attribs }: Element, baseUrl: string): string {
	const href = (name === 'a' || name === 'area' ? attribs.href : undefined)?.trim() ?? '';
	if (href === '' || href.startsWith('#')) return '';
	const url = absoluteUrl(href, baseUrl).replace(/#.*$/s, '');
	return /^https?:\/\//.test(url) ? url : '';
}

/** Whether it is picked, or something that holds it. */
function isPicked(link: Element, picks: (element: Element) => boolean): boolean {
	let at: Element | undefined = link;
	while (at !== undefined && !picks(at)) {
		const { parentNode }: Element = at;
		at = parentNode !== null && isElement(parentNode) ? parentNode : undefined;
	}
	return at !== undefined;
}

/** Each address once, in the order of the page: all of its links, or those that are picked or stand within what is. */
export async function linksOf(
	{ document, baseUrl }: HtmlPage,
	pause: Pause,
	picks?: (element: Element) => boolean,
): Promise<readonly PageLink[]> {
	const links = new Map<string, PageLink>();
	for (const element of elementsOf(document)) {
		const url = targetOf(element, baseUrl);
		if (url !== '' && (picks === undefined || isPicked(element, picks))) {
			const known = links.get(url);
			// A picture often leads to the same page as the words below it
			if (known === undefined || known.text === '') links.set(url, { url, text: labelOf(element) });
		}
		await pause();
	}
	return [...links.values()];
}
