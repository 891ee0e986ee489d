import { breaks } from '../../shared/concurrency/wait';
import { percentDecoded } from '../../shared/guards';
import { isDeeper, parseExactJson } from '../../shared/response/parseBody';
import { decodeText } from './charset';
import { parseHtml } from './content/html';
import { markdownOf } from './content/markdown';
import type { HtmlPage } from './content/tree';
import type { PageRequest } from './pageRequest';
import { headerText, type Answer } from './visit';

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

const HTML_START = /^\s*<(?:!doctype|html|head|body|\?xml|!--|[a-z][a-z0-9]*[\s>])/i;

function unquoted(text: string): string {
	return text.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');
}

/** As the server or the address calls it: in any of the ways in which servers write what is not English. */
function fileNameOf(disposition: unknown, url: string): string {
	const text = typeof disposition === 'string' ? headerText(disposition) : '';
	const [, extended] = /filename\*\s*=\s*"?utf-8'[^']*'([^;"\s]+)/i.exec(text) ?? [];
	const [, plain] = /filename\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]+)/i.exec(text) ?? [];
	const last = new URL(url).pathname.split('/').at(-1) ?? '';
	const name = percentDecoded(extended ?? unquoted(plain ?? last));
	// No folders, and nothing that a file system does not take
	const safeName = name.replace(/[\p{Cc}\\/:*?"<>|]+/gu, '_');
	return safeName.trim().slice(0, 200) || 'page';
}

/** n8n can save no more than some thousand, and would lose the whole execution. */
const MOST_LEVELS = 500;

/** @throws SyntaxError for what is no JSON, or nested too deeply to be saved */
function parsePage(text: string): unknown {
	const value = parseExactJson(text);
	if (isDeeper(value, MOST_LEVELS)) throw new SyntaxError('It is nested too deeply');
	return value;
}

/** What a page answered with. */
export class PageContent {
	private readonly contentType: string;

	/** Without parameters, in lower case; empty where there is none. */
	private readonly mediaType: string;

	private decodedText?: string;

	private parsed?: Promise<HtmlPage>;

	constructor(
		readonly answer: Answer,
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
		this.parsed ??= parseHtml(this.text, this.url, breaks());
		return this.parsed;
	}

	/** Of a page of HTML, read no further than that takes; empty where there is none. */
	async title(): Promise<string> {
		if (!this.isHtml) return '';
		if (this.parsed !== undefined) return (await this.parsed).title;
		const head = this.text.slice(0, Math.max(0, this.text.search(/<\/title/i)));
		return (await parseHtml(head, this.url, breaks())).title;
	}

	/** @throws SyntaxError for a page that is not JSON although that was asked for */
	async format(format: ResponseFormat) {
		if (format === 'file' || (format === 'autodetect' && !this.isText)) {
			const { headers, body } = this.answer;
			const name = fileNameOf(headers['content-disposition'], this.url);
			const type = this.mediaType || 'application/octet-stream';
			return { file: { bytes: body, name, type } };
		}
		if (format === 'markdown' && this.isHtml) {
			return { value: await markdownOf(await this.html, breaks()) };
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
		if (HTML_TYPE.test(this.mediaType)) return true;
		return !JSON_TYPE.test(this.mediaType) && HTML_START.test(this.text.slice(0, 1000));
	}
}
