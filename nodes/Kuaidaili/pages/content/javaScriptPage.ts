import { absoluteUrl } from './tree';

/** A page with less text than that, in characters, shows nothing yet. */
const LEAST_TEXT = 200;

/** Elements in which frameworks put what their scripts make. */
const EMPTY_ROOT =
	/<(?:div|main)\b[^>]{0,200}\bid=["']?(?:app|root|__next|__nuxt|___gatsby)\b|<app-root\b/i;
const ASKS_FOR_SCRIPTS =
	/<noscript\b[^>]{0,200}>(?:(?!<\/noscript)[^]){0,1000}?(?:javascript|脚本)/i;

/** Elements whose text is not shown. */
const UNSHOWN = /^<(script|style|noscript|template|head|svg)\b/i;

/** Whether a page shows fewer characters than `most`, as far as its markup tells. */
function showsLess(html: string, most: number): boolean {
	let length = 0;
	let at = 0;
	/** Moves behind the next place where a text is found; to the end without one. */
	const moveBehind = (pattern: RegExp) => {
		pattern.lastIndex = at;
		at = pattern.test(html) ? pattern.lastIndex : html.length;
	};
	while (at < html.length && length < most) {
		if (html.startsWith('<!--', at)) moveBehind(/-->/g);
		else if (html[at] === '<') {
			const [, name] = UNSHOWN.exec(html.slice(at, at + 12)) ?? [];
			moveBehind(name === undefined ? />/g : new RegExp(`</${name}`, 'gi'));
		} else {
			const start = at;
			moveBehind(/(?=<)/g);
			// More than that is enough
			length += html.slice(start, Math.min(at, start + 10 * most)).replace(/\s+/g, ' ').length - 1;
		}
	}
	return length < most;
}

/** Data in the page itself, each as a CSS selector picks it. */
function embeddedJson(html: string): string[] {
	const scripts = html.match(
		/<script\b[^>]{0,500}\btype=["']?application\/(?:ld\+)?json\b[^>]{0,500}>/gi,
	);
	const selectors = (scripts ?? []).map((script) => {
		const [, id] = /\bid=["']?([\w-]{1,100})/i.exec(script) ?? [];
		if (id !== undefined) return `script#${id}`;
		return `script[type="application/${script.includes('ld+json') ? 'ld+json' : 'json'}"]`;
	});
	return [...new Set(selectors)];
}

function firstOf(html: string, pattern: RegExp): string | undefined {
	return pattern.exec(html)?.[1];
}

/**
 * What a page that only JavaScript fills has to offer without it, as the end of a sentence; undefined for a page that
 * shows something.
 *
 * @param url of the page
 */
export function describeJavaScriptPage(html: string, url: string): string | undefined {
	const needsScripts = EMPTY_ROOT.test(html) || ASKS_FOR_SCRIPTS.test(html);
	if (!needsScripts || !/<script\b/i.test(html) || !showsLess(html, LEAST_TEXT)) return undefined;
	const [json] = embeddedJson(html);
	const state = firstOf(html, /\bwindow\.(__[A-Z_]{3,40}__)\s*=/);
	const link = /<link\b[^>]{0,500}\btype=["']?application\/(?:rss|atom)\+xml\b[^>]{0,500}>/i.exec(
		html,
	);
	const feed = firstOf(link?.[0] ?? '', /\bhref=["']?([^"'\s>]{1,500})/i);
	const data = firstOf(
		html,
		/["']((?:https?:)?\/[^"'\s<>]{0,200}(?:\/api\/|\/graphql\b|(?<!manifest)\.json\b)[^"'\s<>]{0,200})["']/,
	);
	const offers = [
		json && `JSON in ${json}, which 'Fields' can pick`,
		state && `data in a script, behind window.${state}`,
		feed && `a feed at ${absoluteUrl(feed, url)}`,
		data && `an address of data, ${absoluteUrl(data, url)}`,
	].filter((offer) => offer !== undefined && offer !== '');
	return offers.length > 0 ? offers.join('; ') : 'no data that this node knows';
}
