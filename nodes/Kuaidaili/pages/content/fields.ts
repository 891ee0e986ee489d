import type { Element } from 'domhandler';

import { compileSelector, innerHtml } from './selectors';
import { absoluteUrl, elementsOf, textOf, type HtmlPage, type Pause } from './tree';

/** A column that is picked from each page. */
export interface PageField {
	readonly name: string;
	/** CSS. */
	readonly selector: string;
	readonly take: 'text' | 'attribute' | 'html';
	/** Only for `attribute`. */
	readonly attribute: string;
	/** Whether all matches are wanted, as a list, rather than the first one. */
	readonly all: boolean;
}

/** A list with `all`, also of nothing; otherwise a text, empty where nothing was found. */
export type PickedValues = Readonly<Record<string, string | readonly string[]>>;

/** Addresses come with their site. */
const ADDRESSES = new Set(['href', 'src']);

function valueOf(element: Element, { take, attribute }: PageField, baseUrl: string): string {
	switch (take) {
		case 'text':
			return textOf(element);
		case 'html':
			return innerHtml(element).trim();
		case 'attribute': {
			const name = attribute.trim().toLowerCase();
			const value = element.attribs[name] ?? '';
			return ADDRESSES.has(name) && value !== '' ? absoluteUrl(value, baseUrl) : value.trim();
		}
	}
}

/** Where nothing was found, or there is no page. */
export function emptyValues(fields: readonly PageField[]): PickedValues {
	return Object.fromEntries(fields.map(({ name, all }) => [name, all ? [] : '']));
}

export async function pickFields(
	page: HtmlPage,
	fields: readonly PageField[],
	pause: Pause,
): Promise<PickedValues> {
	const pickers = fields.map((field) => {
		const found: string[] = [];
		return { field, matches: compileSelector(field.selector), found };
	});
	let wanting = pickers;
	for (const element of elementsOf(page.document)) {
		for (const { field, matches, found } of wanting) {
			if (matches(element)) found.push(valueOf(element, field, page.baseUrl));
		}
		wanting = wanting.filter(({ field, found }) => field.all || found.length === 0);
		if (wanting.length === 0) break;
		await pause();
	}
	return Object.fromEntries(
		pickers.map(({ field, found }) => [field.name, field.all ? found : (found[0] ?? '')]),
	);
}
