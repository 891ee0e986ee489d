import type { Document, Element } from 'domhandler';

import { markupParser, type MarkupEvents } from '../../../shared/bundled/xmlTree';
import { isNoscript, shownBeginningOf, visibleLength } from './shownNodes';
import { absoluteUrl, elementsOf, exactText, textOf, type Pause } from './tree';

/** A page with less text than that, in characters, shows nothing yet. */
const LEAST_TEXT = 200;

/** A text with fewer characters may stand in for the page that a script goes on to. */
const LEAST_WORDS = 20;

/** A text that only stands in for what a script brings. */
const WAITING =
	/^(?:loading|please wait|redirecting|正在加载|加载中|请稍候|请稍等)?[.\s…。]{0,9}$/i;

/** Elements that frameworks fill, by their IDs. */
const FILLED = /^(?:app|root|__next|__nuxt|___gatsby)$/;

/** A script that leads on to another page. */
const SETS_LOCATION =
	/\blocation(?:\.href\s{0,9}=|\s{0,9}=|\.(?:replace|assign)\()\s{0,9}["'`]([^"'`{<>\s]{1,500})["'`]/;

/** A variable that holds the data of a page. */
const STATE = /\bwindow\.(__[A-Z_]{3,40}__)\s?=/;

/** Addresses in scripts, and those that look like data. */
const QUOTED_ADDRESS = /(?<=["'])(?:https?:)?\/[^"'\s<>]{1,300}(?=["'])/g;
const OF_DATA = /\/api\/|\/graphql\b|(?<!manifest)\.json\b/;

/** Characters of a page that are looked through for its first words in one piece. */
const WORDS_PART = 4096;

/** Elements of which a reader may not see the text. */
const MAY_HIDE: ReadonlySet<string> = new Set(
	'script style title noscript template svg math textarea iframe noembed noframes canvas object audio video datalist dialog'.split(
		' ',
	),
);

/** Counts the characters of text that a page certainly shows, or only hides until a script runs. */
class TextCounter implements MarkupEvents {
	/** White space not counted. */
	length = 0;

	/** The open element that may hide what stands in it. */
	private hiding?: string;

	onopentag(name: string, { popover }: Readonly<Record<string, string>>): void {
		if (MAY_HIDE.has(name) || popover !== undefined) this.hiding ??= name;
	}

	ontext(part: string): void {
		if (this.hiding === undefined) this.length += visibleLength(part);
	}

	onclosetag(name: string): void {
		if (name === this.hiding) this.hiding = undefined;
	}
}

/** Whether a page begins with so many words that it shows something; also found out of a page that has no tree yet. */
export function beginsWithText(html: string): boolean {
	const counter = new TextCounter();
	const parser = markupParser(counter, false);
	for (let at = 0; at < html.length && counter.length < LEAST_TEXT; at += WORDS_PART)
		parser.write(html.slice(at, at + WORDS_PART));
	return counter.length >= LEAST_TEXT;
}

/** The parts of a page that its scripts use; addresses as they are written. */
interface ScriptedParts {
	hasScript: boolean;
	/** Whether there is an element that a script fills, or a text that asks for scripts. */
	needsScripts: boolean;
	/** An address that a script goes on to. */
	next?: string;
	/** Data in the page itself, as a CSS selector picks it. */
	json?: string;
	/** The variable of a script that holds data. */
	state?: string;
	feed?: string;
	/** The first address that looks like one of data. */
	data?: string;
}

function noteScript(script: Element, parts: ScriptedParts): void {
	const { type = '', id } = script.attribs;
	parts.hasScript = true;
	if (/^application\/(?:ld\+)?json$/i.test(type)) {
		parts.json ??= id === undefined ? `script[type="${type}"]` : `script#${id}`;
		return;
	}
	const code = exactText(script);
	parts.next ??= SETS_LOCATION.exec(code)?.[1];
	parts.state ??= STATE.exec(code)?.[1];
	for (const [address] of parts.data === undefined ? code.matchAll(QUOTED_ADDRESS) : []) {
		if (OF_DATA.test(address)) parts.data ??= address;
	}
}

async function findScriptedParts(document: Document, pause: Pause): Promise<ScriptedParts> {
	const parts: ScriptedParts = { hasScript: false, needsScripts: false };
	for (const element of elementsOf(document)) {
		await pause();
		const { name, attribs } = element;
		if (name === 'script') noteScript(element, parts);
		else if (name === 'link' && /^application\/(?:rss|atom)\+xml$/i.test(attribs.type ?? '')) {
			parts.feed ??= attribs.href;
		} else if (isNoscript(element)) parts.needsScripts ||= /javascript|脚本/i.test(textOf(element));
		else parts.needsScripts ||= name === 'app-root' || FILLED.test(attribs.id ?? '');
	}
	return parts;
}

/**
 * The content that a page that only JavaScript fills offers without it, as the end of a sentence; undefined for a page that
 * shows something.
 *
 * @param url of the page
 */
export async function describeJavaScriptPage(
	document: Document,
	url: string,
	pause: Pause,
): Promise<string | undefined> {
	// Most pages are told apart by their first words
	const { text, length, showsMore, isWhole } = await shownBeginningOf(document, LEAST_TEXT, pause);
	if (!isWhole) return undefined;
	const parts = await findScriptedParts(document, pause);
	const { hasScript, needsScripts, next, json, state, feed, data } = parts;
	if (!hasScript) return undefined;
	if (length < LEAST_WORDS && next !== undefined) {
		return `a script that goes on to ${absoluteUrl(next, url)}`;
	}
	if (!needsScripts && (showsMore || !WAITING.test(text))) return undefined;
	const offers = [
		json && `JSON in ${json}, which 'Fields' can pick`,
		state && `data in a script, behind window.${state}`,
		feed && `a feed at ${absoluteUrl(feed, url)}`,
		data && `an address of data, ${absoluteUrl(data, url)}`,
	].filter((offer) => offer !== undefined && offer !== '');
	return offers.length > 0 ? offers.join('; ') : 'no data that this node knows';
}
