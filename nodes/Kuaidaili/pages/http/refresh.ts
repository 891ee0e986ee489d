import type { HttpAnswer } from './httpAnswer';

/** Pages that wait longer before they go on are to be read. */
const MOST_SECONDS = 5;

/** A refresh further down on a page is not looked for. In bytes. */
const SCANNED_BYTES = 100_000;

/** A page as short as this holds nothing but links, so its `noscript` counts: Baidu's link pages go on there. In bytes. */
const LINK_PAGE_BYTES = 4096;

/** The most characters that are read of a tag, and of a value. */
const LONGEST_VALUE = 1000;

/** The most tags that name a refresh and are read. */
const MOST_TAGS = 20;

/** Elements whose content is no part of the page's tree. */
const TEXT_ELEMENTS: ReadonlySet<string> = new Set([
	'iframe',
	'noembed',
	'noframes',
	'noscript',
	'script',
	'style',
	'template',
	'textarea',
	'title',
	'xmp',
]);

const REFRESHING_TYPE = /^\s*(?:(?:text\/html|application\/xhtml\+xml)\s*)?(?:;|$)/i;

/**
 * The address in a value such as `5; url=/next`, as HTML reads it; undefined where that has none, or waits too long.
 */
function refreshAddress(value: string): string | undefined {
	const text = value.slice(0, LONGEST_VALUE).trim();
	const [time = ''] = /^\d{1,6}(?:\.\d{0,6})?|^\.\d{1,6}/.exec(text) ?? [];
	if (time === '' || Math.floor(Number(time)) > MOST_SECONDS) return undefined;
	const behind = text.slice(time.length).trimStart().replace(/^[;,]/, '').trimStart();
	const address = behind.replace(/^url\s*=\s*/i, '');
	const quote = /^["']/.exec(address)?.[0];
	const plain = quote === undefined ? address : address.slice(1).split(quote, 1)[0];
	return plain.trim() || undefined;
}

/** The attributes of a tag that begins at the start of the text, as far as they have values. */
function attributesOf(tag: string): ReadonlyMap<string, string> {
	const attributes = new Map<string, string>();
	const pattern =
		/(?<![\w-])([\w-]{1,40})\s{0,20}=\s{0,20}(?:"([^"]{0,1000})"|'([^']{0,1000})'|([^\s"'>]{1,1000}))|>/g;
	for (const [text, name, ...values] of tag.matchAll(pattern)) {
		if (text === '>') break;
		attributes.set(name.toLowerCase(), values.find((value) => value !== undefined) ?? '');
	}
	return attributes;
}

/** The signs of an address that markup has references for. */
function withSigns(text: string): string {
	return text.replace(
		/&(?:amp|#(\d{1,6})|#x([\da-f]{1,5}));/gi,
		(_all, decimal?: string, hex?: string) =>
			decimal === undefined && hex === undefined
				? '&'
				: String.fromCodePoint(
						decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal),
					),
	);
}

/**
 * The value of the first `<meta http-equiv="refresh">`, outside of comments, scripts, and the like, and the `<base>`
 * before it.
 */
function metaRefresh(body: Buffer): { value: string; base?: string } | undefined {
	const html = body.toString('latin1', 0, SCANNED_BYTES);
	const lower = html.toLowerCase();
	if (!lower.includes('refresh')) return undefined;
	const isLinkPage = body.length <= LINK_PAGE_BYTES;
	const endOf = (text: string, from: number) => {
		const at = lower.indexOf(text, from);
		return at < 0 ? html.length : at;
	};
	let tags = 0;
	let base: string | undefined;
	for (let at = endOf('<', 0); at < html.length && tags < MOST_TAGS; at = endOf('<', at + 1)) {
		if (lower.startsWith('<!--', at)) {
			at = endOf('-->', at + 4);
			continue;
		}
		const name = /^<([a-z]{1,10})[\s/>]/.exec(lower.slice(at, at + 12))?.[1] ?? '';
		if (TEXT_ELEMENTS.has(name)) {
			if (name !== 'noscript' || !isLinkPage) at = endOf(`</${name}`, at);
		} else if (name === 'meta' && lower.slice(at, at + LONGEST_VALUE).includes('refresh')) {
			tags += 1;
			const attributes = attributesOf(html.slice(at, at + LONGEST_VALUE));
			if (attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
				const value = attributes.get('content');
				return value === undefined ? undefined : { value: withSigns(value), base };
			}
		} else if (name === 'base') {
			base ??= attributesOf(html.slice(at, at + LONGEST_VALUE)).get('href');
		}
	}
	return undefined;
}

/**
 * The address to which a page goes on by itself within five seconds, and the one that it is relative to, both as they are
 * written.
 *
 * @returns undefined for none; without a base where it is relative to the address of the page
 */
export function refreshIn({
	status,
	headers,
	body,
}: HttpAnswer): { readonly address: string; readonly base?: string } | undefined {
	if (status >= 300) return undefined;
	const { refresh, 'content-type': type = '' } = headers;
	const isHtml = typeof type === 'string' && REFRESHING_TYPE.test(type.slice(0, LONGEST_VALUE));
	const inPage = typeof refresh === 'string' || !isHtml ? undefined : metaRefresh(body);
	const value = typeof refresh === 'string' ? refresh : inPage?.value;
	const address = value === undefined ? undefined : refreshAddress(value);
	return address === undefined ? undefined : { address, base: inPage?.base };
}
