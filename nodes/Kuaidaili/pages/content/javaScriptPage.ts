import { absoluteUrl } from './tree';

/** A page with less text than that, in characters, shows nothing yet. */
const LEAST_TEXT = 200;

/** A page with less text, in characters, has no words of its own. */
const LEAST_WORDS = 20;

/** A script that leads on to another page. */
const SETS_LOCATION =
	/\blocation(?:\.href\s{0,9}=|\s{0,9}=|\.(?:replace|assign)\()\s{0,9}["']([^"'<>\s]{1,500})["']/;

/** The most noscript elements that are looked into, and the most characters of each. */
const MOST_NOSCRIPTS = 20;
const LONGEST_NOSCRIPT = 1000;

/** Elements whose text is not shown. */
const UNSHOWN_TAGS = /^<(script|style|template|head|svg)\b/i;

/** A page with more parts than that is none that only scripts fill. */
const MOST_PARTS = 20_000;

/** Whether a page shows fewer characters than `most`, as far as its markup tells. */
function showsLess(html: string, most: number): boolean {
	let length = 0;
	let at = 0;
	let parts = 0;
	/** Moves behind the next place where a text is found; to the end without one. */
	const moveBehind = (pattern: RegExp) => {
		pattern.lastIndex = at;
		at = pattern.test(html) ? pattern.lastIndex : html.length;
	};
	while (at < html.length && length < most) {
		parts += 1;
		if (parts > MOST_PARTS) return false;
		if (html.startsWith('<!--', at)) moveBehind(/-->/g);
		else if (html[at] === '<') {
			const [, name] = UNSHOWN_TAGS.exec(html.slice(at, at + 12)) ?? [];
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

const ATTRIBUTES = {
	href: /\bhref\s?=\s?["']?([^"'\s]{1,500})/i,
	id: /\bid\s?=\s?["']?([^"'\s]{1,500})/i,
	type: /\btype\s?=\s?["']?([^"'\s]{1,500})/i,
};

/** The value of an attribute, as far as it has no white space; empty for none. */
function attributeIn(attributes: string, name: keyof typeof ATTRIBUTES): string {
	return attributes === '' ? '' : (ATTRIBUTES[name].exec(attributes)?.[1] ?? '');
}

/** The parts of a page that its scripts use. */
function findScriptedParts(html: string) {
	/** Whether there is an element that a script fills, or a text that asks for scripts. */
	let needsScripts = false;
	/** Data in the page itself, as a CSS selector picks it. */
	let json: string | undefined;
	/** The address of a feed, as it stands there. */
	let feed: string | undefined;
	let noscripts = 0;
	let tags = 0;
	for (const tag of html.matchAll(
		/<(app-root|div|link|main|noscript|script)\b([^<>]{0,1000})>/gi,
	)) {
		tags += 1;
		if (tags > MOST_PARTS) break;
		const [whole, name, attributes] = tag;
		const type = attributeIn(attributes, 'type');
		const id = attributeIn(attributes, 'id');
		const kind = name.toLowerCase();
		if (kind === 'script' && /^application\/(?:ld\+)?json$/i.test(type)) {
			json ??= id === '' ? `script[type="${type}"]` : `script#${id}`;
		} else if (kind === 'link' && /^application\/(?:rss|atom)\+xml$/i.test(type)) {
			feed ??= attributeIn(attributes, 'href');
		} else if (kind === 'noscript' && noscripts < MOST_NOSCRIPTS) {
			noscripts += 1;
			const start = tag.index + whole.length;
			const [inside] = html.slice(start, start + LONGEST_NOSCRIPT).split(/<\/noscript/i, 1);
			needsScripts ||= /javascript|脚本/i.test(inside);
		} else if (kind === 'app-root' || /^(?:app|root|__next|__nuxt|___gatsby)$/.test(id)) {
			needsScripts = true;
		}
	}
	return { needsScripts, json, feed };
}

/** Texts of scripts that are looked at. */
const MOST_TEXTS_OF_SCRIPTS = 100_000;

/** The first address in a script that looks like one of data. */
function addressOfData(html: string): string | undefined {
	let texts = 0;
	for (const [, address] of html.matchAll(/["']((?:https?:)?\/[^"'\s<>]{1,300})["']/g)) {
		texts += 1;
		if (texts > MOST_TEXTS_OF_SCRIPTS) break;
		if (/\/api\/|\/graphql\b|(?<!manifest)\.json\b/.test(address)) return address;
	}
	return undefined;
}

/**
 * The content that a page that only JavaScript fills offers without it, as the end of a sentence; undefined for a page that
 * shows something.
 *
 * @param url of the page
 */
export function describeJavaScriptPage(html: string, url: string): string | undefined {
	// Most pages are told apart by their first lines
	if (!showsLess(html, LEAST_TEXT) || !/<script\b/i.test(html)) return undefined;
	const next = showsLess(html, LEAST_WORDS) ? SETS_LOCATION.exec(html)?.[1] : undefined;
	if (next !== undefined) return `a script that goes on to ${absoluteUrl(next, url)}`;
	const { needsScripts, json, feed } = findScriptedParts(html);
	if (!needsScripts) return undefined;
	const [, state] = /\bwindow\.(__[A-Z_]{3,40}__)\s?=/.exec(html) ?? [];
	const data = addressOfData(html);
	const offers = [
		json && `JSON in ${json}, which 'Fields' can pick`,
		state && `data in a script, behind window.${state}`,
		feed && `a feed at ${absoluteUrl(feed, url)}`,
		data && `an address of data, ${absoluteUrl(data, url)}`,
	].filter((offer) => offer !== undefined && offer !== '');
	return offers.length > 0 ? offers.join('; ') : 'no data that this node knows';
}
