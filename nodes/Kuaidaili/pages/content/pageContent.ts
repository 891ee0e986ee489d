import { innerHtml } from '../../../shared/bundled/htmlTree';
import { eventLoopYielder } from '../../../shared/api/wait';
import { bodyContentOf, type BodyContent } from './contentKind';
import { decodePage, type DecodedText } from './encoding';
import { markdownOfXml } from './feed';
import { fileNameOf } from './fileName';
import { parseHtml, parseXhtml, parseXmlPage, type HtmlPage } from './html';
import { beginsWithText, describeJavaScriptPage } from './javaScriptPage';
import { readContent } from './mainContent';
import { markdownOf } from './markdown';
import { parsePageJson } from './scanJson';
import { withoutNodes } from './tree';
import type { PageRequest } from '../request/pageRequest';
import type { HttpAnswer } from '../http/httpAnswer';

/** Servers also name what is no compression here, such as utf-8. */
const COMPRESSED = /\b(?:gzip|deflate|compress|br|zstd|dcb|dcz)\b/i;

/** Bytes up to which a page is kept as text, and read as a tree to find out whether only JavaScript fills it. */
const LARGEST_SMALL_PAGE = 50_000;

/** JSON in a call of a function that the page names, for scripts of other sites. */
const JSONP =
	/^\s*(?:\/\*\*\/)?\s*(?:typeof [\w$.]{1,200} === 'function' && )?[\w$][\w$.[\]]{0,200}\(/;

/** The argument of a call, where a text is a call of a function; undefined otherwise. */
function argumentIn(text: string): string | undefined {
	const [call] = JSONP.exec(text.slice(0, 1000)) ?? [];
	if (call === undefined) return undefined;
	const end = text.lastIndexOf(')');
	return /^\)[\s;]*$/.test(text.slice(end, end + 100)) ? text.slice(call.length, end) : undefined;
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

	private known?: BodyContent;

	private decoded?: DecodedText;

	private parsed?: Promise<HtmlPage>;

	private parsedPage?: HtmlPage;

	private parsedJson?: Promise<unknown>;

	constructor(
		readonly answer: HttpAnswer,
		private readonly url: string,
	) {
		const type = answer.headers['content-type'];
		this.contentType = typeof type === 'string' ? type : '';
	}

	/** How the body is still compressed, such as "zstd": n8n's helper removes what it has unpacked from the headers. */
	get compression(): string | undefined {
		const encoding = this.answer.headers['content-encoding'];
		const isCompressed = typeof encoding === 'string' && COMPRESSED.test(encoding);
		return isCompressed && this.answer.body.length > 0 ? encoding : undefined;
	}

	/** Whether such an answer has a body at all, which may be empty, and that is not still compressed. */
	get hasReadableBody(): boolean {
		const isBodiless = [204, 205, 304].includes(this.answer.status);
		return !isBodiless && this.compression === undefined;
	}

	/** The body as text, in whatever encoding it came. */
	get text(): string {
		return this.whole.text;
	}

	/** Lets go of the text of a large page, which is decoded again when it is asked for. */
	forgetText(): void {
		if (this.answer.body.length > LARGEST_SMALL_PAGE) this.decoded = undefined;
	}

	private get whole(): DecodedText {
		this.decoded ??= decodePage(this.answer.body, this.contentType);
		return this.decoded;
	}

	/** The body as a tree, whatever it is. */
	get html(): Promise<HtmlPage> {
		const { kind, mediaType } = this.content;
		const isXhtml = mediaType === 'application/xhtml+xml';
		const parse = kind === 'xml' ? parseXmlPage : isXhtml ? parseXhtml : parseHtml;
		// Before the text is decoded, which takes its time
		const pause = eventLoopYielder();
		const { text, encoding } = this.whole;
		this.parsed ??= parse(text, this.url, pause, encoding).then((page) => {
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

	/**
	 * The content that HTML offers which only JavaScript fills, as the end of a sentence; undefined for other pages. A large
	 * one is looked at where it is read as a tree anyway.
	 */
	async scriptedOffer(): Promise<string | undefined> {
		if (!this.isHtml) return undefined;
		const isLarge = this.answer.body.length > LARGEST_SMALL_PAGE;
		// The text of a large one is not kept for this either
		const mayBeEmpty = () => /<script/i.test(this.text) && !beginsWithText(this.text);
		if (this.parsed === undefined && (isLarge || !mayBeEmpty())) return undefined;
		return await describeJavaScriptPage((await this.html).document, this.url, eventLoopYielder());
	}

	private get json(): Promise<unknown> {
		// Before the text is decoded, which takes its time
		const pause = eventLoopYielder();
		this.parsedJson ??= parsePageJson(argumentIn(this.text) ?? this.text, pause);
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
		format: Exclude<PageRequest['format'], 'fields' | 'structuredData'>,
		leaveOut: readonly string[] = [],
		mainContentOnly = false,
	): Promise<FormattedPage> {
		switch (format) {
			case 'file':
				return this.toFile();
			case 'autodetect':
				return this.content.isDownload ? this.toFile() : await this.toJsonOrText();
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
		const type = this.content.mediaType || 'application/octet-stream';
		// The body is given back when the page is put out, and what n8n gets is its own
		return { file: { bytes: Buffer.from(body), name, type } };
	}

	private async toJsonOrText(): Promise<FormattedPage> {
		if (this.content.kind !== 'json' || argumentIn(this.text) !== undefined) {
			return { value: this.text };
		}
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
		if (page.isXml) return { value: await markdownOfXml(page, leaveOut, eventLoopYielder()) };
		const pause = eventLoopYielder();
		const { shown, share } = await readContent(page, leaveOut, mainContentOnly, pause);
		return { value: await markdownOf(page, pause, shown), share };
	}

	private async toText(
		leaveOut: readonly string[],
		mainContentOnly: boolean,
	): Promise<FormattedPage> {
		if (this.fileType !== undefined) return { value: '' };
		const isWhole = leaveOut.length === 0 && !mainContentOnly;
		if (!this.isMarkup || isWhole) return { value: this.text };
		const page = await this.html;
		const pause = eventLoopYielder();
		const { unwanted, share } = await readContent(page, leaveOut, mainContentOnly, pause);
		return { value: await innerHtml(withoutNodes(page.document, unwanted), pause), share };
	}

	private get content(): BodyContent {
		this.known ??= bodyContentOf(this.answer.body, this.contentType);
		return this.known;
	}

	/**
	 * The type of a file such as a picture or a PDF, of which there is no Markdown, text, or column; undefined for
	 * text.
	 */
	get fileType(): string | undefined {
		const { kind, mediaType } = this.content;
		return kind === 'file' ? mediaType || 'application/octet-stream' : undefined;
	}

	get isHtml(): boolean {
		return this.content.kind === 'html';
	}

	/** Whether it is text without elements, and no JSON. */
	get isPlainText(): boolean {
		return this.content.kind === 'text';
	}

	/** Whether it has elements that can be picked. */
	get isMarkup(): boolean {
		return this.isHtml || this.content.kind === 'xml';
	}
}
