import { innerHtml } from '../../../shared/bundled/htmlTree';
import { eventLoopYielder } from '../../../shared/concurrency/wait';
import { percentDecoded } from '../../../shared/guards';
import { isDeeper, parseExactJson } from '../../../shared/response/parseBody';
import { parseHtml, parseXmlPage, type HtmlPage } from './html';
import { findUnwanted, type ContentChoice } from './mainContent';
import { markdownOf } from './markdown';
import { withoutNodes } from './tree';
import type { PageRequest } from '../request/pageRequest';
import type { HttpAnswer } from '../http/httpAnswer';

/** Enough of a page to hold what it says of its own encoding. */
const HEAD_BYTES = 4096;

const OF_META = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:-]+)/i;
const OF_HEADER = /;\s*charset\s*=\s*["']?\s*([\w:-]+)/i;
const OF_XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:-]+)/i;

const BYTE_ORDER_MARKS: ReadonlyArray<readonly [string, readonly number[]]> = [
	['utf-8', [0xef, 0xbb, 0xbf]],
	['utf-16le', [0xff, 0xfe]],
	['utf-16be', [0xfe, 0xff]],
];

/** The standard name of an encoding; undefined for an unknown one. */
function encodingOf(label: string | undefined): string | undefined {
	if (label === undefined) return undefined;
	try {
		const { encoding } = new TextDecoder(label);
		// It holds all of GBK and GB 2312, which are named where more is used
		return encoding === 'gbk' ? 'gb18030' : encoding;
	} catch {
		return undefined;
	}
}

function ofDocument(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
	return encodingOf((OF_XML.exec(head) ?? OF_META.exec(head))?.[1]);
}

/** Of text in GBK that is read as UTF-8, about four characters are broken for each that is not. */
const FEWEST_SOUND_PER_BROKEN = 4;

/** Whether a text that was read as UTF-8 is in UTF-8, but for a few broken characters. */
function isMostlySound(text: string): boolean {
	let broken = 0;
	let sound = 0;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit === 0xfffd) broken += 1;
		else if (unit > 0x7f) sound += 1;
	}
	return sound >= FEWEST_SOUND_PER_BROKEN * broken;
}

/** What servers say of pages whose encoding they do not know. */
const SAYS_NOTHING = 'windows-1252';

/**
 * The text of a page: by its byte order mark; else as UTF-8 where it is; else as it says itself, in its header
 * or its `meta` tag; else as GB18030. A broken character is replaced.
 *
 * @param contentType the header; empty where there is none
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
	const mark = BYTE_ORDER_MARKS.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
	if (mark !== undefined) return new TextDecoder(mark[0]).decode(bytes);
	const ofHeader = encodingOf(OF_HEADER.exec(contentType)?.[1]);
	if (ofHeader?.startsWith('utf-16') === true) return new TextDecoder(ofHeader).decode(bytes);
	const utf8 = new TextDecoder().decode(bytes);
	if (isMostlySound(utf8)) return utf8;
	const declared = [ofHeader, ofDocument(bytes)].filter((one) => one !== 'utf-8');
	const said = declared.find((one) => one !== undefined && one !== SAYS_NOTHING);
	const unsaid = declared.includes(SAYS_NOTHING) ? SAYS_NOTHING : 'gb18030';
	return new TextDecoder(said ?? unsaid).decode(bytes);
}

export type ResponseFormat = 'autodetect' | 'file' | 'json' | 'markdown' | 'text';

const JSON_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json$/;
const TEXT_TYPE =
	/^text\/|^application\/(?:[\w.-]+\+)?(?:xml|xhtml\+xml|javascript|ecmascript|x-javascript|x-ndjson|x-www-form-urlencoded|yaml)$/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

/** Servers also name what is no compression here, such as utf-8. */
const COMPRESSED = /\b(?:gzip|deflate|compress|br|zstd|dcb|dcz)\b/i;

/** Binary data hardly does without, and text has none. */
const NUL = 0;
const SNIFFED_BYTES = 1024;

const SNIFFED_CHARACTERS = 1000;

const XML_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?xml$/;
const XML_START = /^\s*<\?xml\s/;
/** The first element, behind comments, instructions, and a document type. */
const ROOT = /^\s*(?:<(?:\?|!)[^>]*>\s*)*<([\w:.-]+)/;
const FEED = /^(?:rss|feed|rdf:RDF)$/;

const HTML_START = /^\s*<(?:!doctype|html|head|body|\?xml|!--|[a-z][a-z0-9]*[\s>])/i;

function unquoted(text: string): string {
	return text.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');
}

/** As the server or the address calls it: in any of the ways in which servers write what is not English. */
function fileNameOf(disposition: unknown, url: string): string {
	const header = typeof disposition === 'string' ? disposition : '';
	// A single byte of them is neither UTF-8 nor GB 2312
	const isLatin = /(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])/.test(header);
	const text = isLatin ? header : decodeText(Buffer.from(header, 'latin1'), '');
	const [, extended] = /filename\*\s*=\s*"?utf-8'[^']*'([^;"\s]+)/i.exec(text) ?? [];
	const [, plain] = /filename\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]+)/i.exec(text) ?? [];
	const last = new URL(url).pathname.split('/').at(-1) ?? '';
	const name = percentDecoded(extended ?? unquoted(plain ?? last));
	// No folders, and nothing that a file system does not take
	const safeName = name.replace(/[\p{Cc}\\/:*?"<>|]+/gu, '_');
	return safeName.trim().slice(0, 200) || 'page';
}

/** n8n can save no more than some thousand, and would lose the whole execution. */
const MOST_JSON_LEVELS = 500;

/** @throws SyntaxError for what is no JSON, or nested too deeply to be saved */
function parsePage(text: string): unknown {
	const value = parseExactJson(text);
	if (isDeeper(value, MOST_JSON_LEVELS)) throw new SyntaxError('It is nested too deeply');
	return value;
}

const WHOLE_PAGE: ContentChoice = { leaveOut: [], mainContentOnly: false };

function isPart({ leaveOut, mainContentOnly }: ContentChoice): boolean {
	return mainContentOnly || leaveOut.length > 0;
}

/** What a page answered with. */
export class PageContent {
	private readonly contentType: string;

	/** Without parameters, in lower case; empty where there is none. */
	private readonly mediaType: string;

	private decodedText?: string;

	private parsed?: Promise<HtmlPage>;

	constructor(
		readonly answer: HttpAnswer,
		private readonly method: PageRequest['method'],
		private readonly url: string,
	) {
		const type = answer.headers['content-type'];
		this.contentType = typeof type === 'string' ? type : '';
		this.mediaType = this.contentType.split(';', 1)[0].trim().toLowerCase();
	}

	/** How the body is still compressed, such as "zstd": n8n's helper removes what it has unpacked from the headers. */
	get compression(): string | undefined {
		const encoding = this.answer.headers['content-encoding'];
		const isCompressed = typeof encoding === 'string' && COMPRESSED.test(encoding);
		return isCompressed && this.answer.body.length > 0 ? encoding : undefined;
	}

	/** Whether such an answer has a body at all, which may be empty, and that is not still compressed. */
	get hasReadableBody(): boolean {
		const isBodiless = this.method === 'HEAD' || [204, 205, 304].includes(this.answer.status);
		return !isBodiless && this.compression === undefined;
	}

	/** In whatever encoding it came. */
	get text(): string {
		this.decodedText ??= decodeText(this.answer.body, this.contentType);
		return this.decodedText;
	}

	/** As a tree, whatever it is. */
	get html(): Promise<HtmlPage> {
		const parse = this.isXml ? parseXmlPage : parseHtml;
		this.parsed ??= parse(this.text, this.url, eventLoopYielder());
		return this.parsed;
	}

	/** Of a page of HTML or a feed; empty where there is none. */
	async title(): Promise<string> {
		const isKnown = this.parsed !== undefined || this.isMarkup;
		return isKnown && /<title/i.test(this.text) ? (await this.html).title : '';
	}

	/**
	 * The page in a format, and the share of its text that is its main content, where only that is wanted.
	 *
	 * @param choice for Markdown and text
	 * @throws SyntaxError for a page that is not JSON although that was asked for
	 */
	async format(format: ResponseFormat, choice: ContentChoice = WHOLE_PAGE) {
		if (format === 'file' || (format === 'autodetect' && !this.isText)) {
			const { headers, body } = this.answer;
			const name = fileNameOf(headers['content-disposition'], this.url);
			const type = this.mediaType || 'application/octet-stream';
			return { file: { bytes: body, name, type } };
		}
		const isPlain = format !== 'markdown' && (format !== 'text' || !isPart(choice));
		if (this.isMarkup && !isPlain) {
			const page = await this.html;
			const { leftOut, share } = await findUnwanted(page, choice, eventLoopYielder());
			const value =
				format === 'text'
					? innerHtml(withoutNodes(page.document, leftOut))
					: await markdownOf(page, eventLoopYielder(), (node) => leftOut.has(node));
			return { value, share };
		}
		if (format === 'json') return { value: parsePage(this.text) };
		if (format === 'autodetect' && JSON_TYPE.test(this.mediaType)) {
			try {
				return { value: parsePage(this.text) };
			} catch {
				// Servers call other things JSON
			}
		}
		return { value: this.text };
	}

	private get isText(): boolean {
		const { mediaType } = this;
		if (mediaType === '') return !this.answer.body.subarray(0, SNIFFED_BYTES).includes(NUL);
		return TEXT_TYPE.test(mediaType) || JSON_TYPE.test(mediaType);
	}

	get isHtml(): boolean {
		if (this.isXml) return false;
		if (HTML_TYPE.test(this.mediaType)) return true;
		return !JSON_TYPE.test(this.mediaType) && HTML_START.test(this.beginning);
	}

	/** Whether it is a feed or other XML, whatever its type says. XHTML is read as browsers read HTML. */
	get isXml(): boolean {
		const { mediaType, beginning } = this;
		if (JSON_TYPE.test(mediaType)) return false;
		const [, root = ''] = ROOT.exec(beginning) ?? [];
		if (root === '' || /^(?:\w+:)?html$/i.test(root)) return false;
		return XML_TYPE.test(mediaType) || XML_START.test(beginning) || FEED.test(root);
	}

	/** Whether it has elements that can be picked. */
	get isMarkup(): boolean {
		return this.isHtml || this.isXml;
	}

	private get beginning(): string {
		return this.text.slice(0, SNIFFED_CHARACTERS);
	}
}
