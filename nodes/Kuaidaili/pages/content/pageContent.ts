import type { AnyNode } from 'domhandler';

import { innerHtml } from '../../../shared/bundled/htmlTree';
import { eventLoopYielder } from '../../../shared/api/wait';
import { scanJson } from '../../../shared/api/parseBody';
import { decodePage, type DecodedText } from './encoding';
import { markdownOfXml } from './feed';
import { fileNameOf } from './fileName';
import { parseHtml, parseXmlPage, type HtmlPage } from './html';
import { findUnwanted } from './mainContent';
import { markdownOf } from './markdown';
import { hasCellsOverRows } from './tableRows';
import { withoutNodes, withPauses } from './tree';
import type { PageRequest } from '../request/pageRequest';
import type { HttpAnswer } from '../http/httpAnswer';

const JSON_TYPE = /^(?:application|text)\/(?:x-)?(?:[\w.-]{1,99}[+-])?json(?:[+-][\w.]{1,30})?$/;
const TEXT_TYPE =
	/^text\/|\+(?:xml|yaml)$|^application\/(?:x-)?(?:xml|javascript|ecmascript|typescript|ndjson|jsonl|jsonlines|json-lines|json-seq|json5|www-form-urlencoded|yaml|toml|csv|sql|graphql|sh|httpd-php)$/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

/** Types that servers give to files of all kinds. */
const ANY_TYPE =
	/^(?:application\/(?:octet-stream|binary|x-download|force-download|download|unknown))?$/;

/** Types of what is never text, whatever it begins with. */
const MEDIA_TYPE = /^(?:image|audio|video|font)\//;

/** Types of documents, which are files although they may begin with text. */
const DOCUMENT_TYPE =
	/^application\/(?:x-)?(?:rtf|postscript|msword|vnd\.ms-.*|vnd\.open.*|vnd\.oasis.*|pkcs.*|pgp.*|pem.*|x509.*)$/;

/** Control characters that text has: tabs, ends of lines and pages, and the escape character. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether it is a byte that no text has (mimesniff.spec.whatwg.org, 7.1). */
function isBinaryByte(byte: number): boolean {
	return byte < 0x20 && !TEXT_CONTROLS.has(byte);
}

/** Servers also name what is no compression here, such as utf-8. */
const COMPRESSED = /\b(?:gzip|deflate|compress|br|zstd|dcb|dcz)\b/i;

/** A byte that binary data hardly does without, and that text has none of. */
const NUL = 0;
const SNIFFED_BYTES = 4096;

/** Beginnings of files that servers also call text, in hexadecimal numbers: PDF, pictures, archives, media, fonts. */
const SIGNATURE =
	/^(?:255044462d|89504e47|ffd8ff|47494638|504b0304|1f8b|52617221|377abcaf|52494646.{8}(?:57454250|57415645|41564920)|.{8}66747970|494433(?:02|03|04)|4f676753|774f46|00010000|d0cf11e0)/;

/** UTF-8, and UTF-16 in both orders, of which XML may have no mark. */
const BYTE_ORDER_MARK = /^(?:efbbbf|fffe|feff|3c003f00|003c003f)/;

const SNIFFED_CHARACTERS = 1000;

const XML_TYPE = /^(?:application|text|image)\/(?:[\w.-]{1,99}\+)?xml$/;
const XML_START = /^\s*<\?xml\s/;
/** The first element, behind comments, instructions, and a document type. */
const ROOT =
	/^\s*(?:(?:<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^[>]*(?:\[(?:(?!\]\s*>)[^])*\]\s*)?>|<\?[^>]*>)\s*)*<([\w:.-]+)/i;
const FEED = /^(?:rss|feed|rdf:RDF|(?:atom|rss):(?:rss|feed))$/;

/** How JSON begins and ends, for what servers call HTML. No page begins or ends so. */
const JSON_START = /^\s*(?:\{\s*["}]|\[\s*[[{"\d\]-])/;
const JSON_END = /[\]}]\s*$/;

const HTML_START = /^\s*<(?:!doctype|html|head|body|\?xml|!--|[a-z][a-z0-9]*[\s>])/i;

/** n8n can save no more than some thousand, and would lose the whole execution. */
const MOST_JSON_LEVELS = 500;

/**
 * Parses JSON with every digit of its integers. Only JSON.parse has no pauses.
 *
 * @throws SyntaxError for what is no JSON, or nested too deeply to be saved
 */
async function parsePage(text: string): Promise<unknown> {
	const pause = eventLoopYielder();
	const scanned = await withPauses(scanJson(text), pause);
	if (scanned.levels > MOST_JSON_LEVELS) throw new SyntaxError('It is nested too deeply');
	await pause();
	return JSON.parse(scanned.text);
}

/** A page in the format that was asked for: a value, or a file. */
export interface FormattedPage {
	/** Parsed JSON, or a text; undefined for a file. */
	readonly value?: unknown;
	readonly file?: { readonly bytes: Buffer; readonly name: string; readonly type: string };
	/** Share of the page's text that is its main content, where only that is wanted. */
	readonly share?: number;
}

/** The body of an answer, read as it is asked for. */
export class PageContent {
	private readonly contentType: string;

	/** The media type without parameters, in lower case; empty where there is none. */
	private readonly mediaType: string;

	private decoded?: DecodedText;

	private decodedBeginning?: string;

	private parsed?: Promise<HtmlPage>;

	private parsedPage?: HtmlPage;

	private parsedJson?: Promise<unknown>;

	constructor(
		readonly answer: HttpAnswer,
		private readonly method: PageRequest['method'],
		private readonly url: string,
	) {
		const type = answer.headers['content-type'];
		this.contentType = typeof type === 'string' ? type : '';
		this.mediaType = /^[^;,\s]{0,200}/.exec(this.contentType.trim())?.[0].toLowerCase() ?? '';
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

	/** The body as text, in whatever encoding it came. */
	get text(): string {
		return this.whole.text;
	}

	private get whole(): DecodedText {
		this.decoded ??= decodePage(this.answer.body, this.contentType);
		return this.decoded;
	}

	/** The body as a tree, whatever it is. */
	get html(): Promise<HtmlPage> {
		const parse = this.isXml ? parseXmlPage : parseHtml;
		const { text, encoding } = this.whole;
		this.parsed ??= parse(text, this.url, eventLoopYielder(), encoding).then((page) => {
			this.parsedPage = page;
			return page;
		});
		return this.parsed;
	}

	/** How many characters were read as a tree, where the page is too large to be read whole; undefined otherwise. */
	get partRead(): Pick<HtmlPage, 'readLength' | 'length'> | undefined {
		const { parsedPage: page } = this;
		return page !== undefined && page.readLength < page.length ? page : undefined;
	}

	/** Whether a table was read of which a cell stands for several rows. */
	get hasCellsOverRows(): boolean {
		return this.parsedPage !== undefined && hasCellsOverRows(this.parsedPage.document);
	}

	private get json(): Promise<unknown> {
		this.parsedJson ??= parsePage(this.text);
		return this.parsedJson;
	}

	/** The title of a page of HTML or a feed; empty where there is none. */
	async title(): Promise<string> {
		const isKnown = this.parsed !== undefined || this.isMarkup;
		return isKnown && /<title/i.test(this.text) ? (await this.html).title : '';
	}

	/**
	 * The page in a format, and the share of its text that is its main content, where only that is wanted.
	 *
	 * @param leaveOut CSS selectors of what is left out of Markdown and text
	 * @param mainContentOnly whether nothing but the main content becomes Markdown or text
	 * @throws SyntaxError for a page that is not JSON although that was asked for
	 */
	async format(
		format: Exclude<PageRequest['format'], 'fields'>,
		leaveOut: readonly string[] = [],
		mainContentOnly = false,
	): Promise<FormattedPage> {
		switch (format) {
			case 'file':
				return this.toFile();
			case 'autodetect':
				return this.isText && this.fileType === undefined
					? await this.toJsonOrText()
					: this.toFile();
			case 'json':
				return { value: await this.json };
			case 'markdown':
				return await this.toMarkdown(leaveOut, mainContentOnly);
			case 'text':
				return await this.toText(leaveOut, mainContentOnly);
			default:
				return format satisfies never;
		}
	}

	private toFile(): FormattedPage {
		const { headers, body } = this.answer;
		const name = fileNameOf(headers['content-disposition'], this.url);
		const type = this.mediaType || 'application/octet-stream';
		return { file: { bytes: body, name, type } };
	}

	private async toJsonOrText(): Promise<FormattedPage> {
		if (!JSON_TYPE.test(this.mediaType)) return { value: this.text };
		try {
			return { value: await this.json };
		} catch {
			// Servers call other things JSON
			return { value: this.text };
		}
	}

	private async toMarkdown(
		leaveOut: readonly string[],
		mainContentOnly: boolean,
	): Promise<FormattedPage> {
		if (this.fileType !== undefined) return { value: '' };
		if (!this.isMarkup) return { value: this.text };
		const page = await this.html;
		if (this.isXml) return { value: await markdownOfXml(page, leaveOut, eventLoopYielder()) };
		const { leftOut, share } = await findUnwanted(
			page,
			leaveOut,
			mainContentOnly,
			eventLoopYielder(),
		);
		const isUnwanted = (node: AnyNode) => leftOut.has(node);
		return { value: await markdownOf(page, eventLoopYielder(), isUnwanted), share };
	}

	private async toText(
		leaveOut: readonly string[],
		mainContentOnly: boolean,
	): Promise<FormattedPage> {
		if (this.fileType !== undefined) return { value: '' };
		const isWhole = leaveOut.length === 0 && !mainContentOnly;
		if (!this.isMarkup || isWhole) return { value: this.text };
		const page = await this.html;
		const { leftOut, share } = await findUnwanted(
			page,
			leaveOut,
			mainContentOnly,
			eventLoopYielder(),
		);
		const html = innerHtml(withoutNodes(page.document, leftOut));
		return { value: await withPauses(html, eventLoopYielder()), share };
	}

	/** Whether its type says that it is text, or nothing; autodetection goes by that. */
	private get isText(): boolean {
		const { mediaType } = this;
		if (mediaType === '') return !this.isBinary;
		if (TEXT_TYPE.test(mediaType) || JSON_TYPE.test(mediaType)) return true;
		const isFile = ANY_TYPE.test(mediaType) || DOCUMENT_TYPE.test(mediaType);
		return !isFile && this.isTextByOtherName;
	}

	/** Whether it begins with UTF-8 and nothing else, under a type that says little. */
	private get isTextByOtherName(): boolean {
		if (MEDIA_TYPE.test(this.mediaType) || this.isBinary) return false;
		const bytes = this.answer.body.subarray(0, SNIFFED_BYTES);
		if (bytes.some(isBinaryByte)) return false;
		try {
			new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
			return true;
		} catch {
			return false;
		}
	}

	/** Whether it begins as files do that are no text. */
	private get isBinary(): boolean {
		const { body } = this.answer;
		const bytes = body.subarray(0, SNIFFED_BYTES);
		const beginning = Buffer.from(bytes.subarray(0, 16)).toString('hex');
		if (SIGNATURE.test(beginning)) return true;
		const isOfTwoBytes =
			BYTE_ORDER_MARK.test(beginning) || /utf-?(?:16|32)/i.test(this.contentType);
		return bytes.includes(NUL) && !isOfTwoBytes;
	}

	/**
	 * The type of a file such as a picture or a PDF, of which there is no Markdown, text, or column; undefined for
	 * text.
	 */
	get fileType(): string | undefined {
		const { mediaType } = this;
		const mayBeText = this.isText || ANY_TYPE.test(mediaType) || this.isTextByOtherName;
		const isFile = this.answer.body.length > 0 && (this.isBinary || !mayBeText);
		return isFile ? mediaType || 'application/octet-stream' : undefined;
	}

	get isHtml(): boolean {
		if (this.fileType !== undefined || this.isXml) return false;
		if (HTML_TYPE.test(this.mediaType)) return !this.isJsonByOtherName;
		return !JSON_TYPE.test(this.mediaType) && HTML_START.test(this.beginning);
	}

	/** Whether it is JSON that comes as HTML, as PHP sends it if nobody says otherwise. */
	private get isJsonByOtherName(): boolean {
		if (!JSON_START.test(this.beginning)) return false;
		const end = this.answer.body.subarray(-SNIFFED_CHARACTERS);
		return JSON_END.test(Buffer.from(end).toString('latin1'));
	}

	/** Whether it is a feed or other XML, whatever its type says. XHTML is read as browsers read HTML. */
	get isXml(): boolean {
		const { mediaType, beginning } = this;
		if (this.fileType !== undefined || JSON_TYPE.test(mediaType)) return false;
		const [, root = ''] = ROOT.exec(beginning) ?? [];
		if (root === '' || /^(?:\w+:)?html$/i.test(root)) return false;
		return XML_TYPE.test(mediaType) || XML_START.test(beginning) || FEED.test(root);
	}

	/** Whether it has elements that can be picked. */
	get isMarkup(): boolean {
		return this.isHtml || this.isXml;
	}

	/** The first characters of what may be text; empty for other files, which are not decoded. */
	private get beginning(): string {
		if (this.decoded !== undefined) return this.decoded.text.slice(0, SNIFFED_CHARACTERS);
		if (!this.isText) return '';
		const bytes = this.answer.body.subarray(0, SNIFFED_BYTES);
		this.decodedBeginning ??= decodePage(bytes, this.contentType).text.slice(0, SNIFFED_CHARACTERS);
		return this.decodedBeginning;
	}
}
