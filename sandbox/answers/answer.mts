/** What an endpoint says, before it is written as JSON, text or XML. */
export interface Answer {
	code: number;
	msg: string;
	data: unknown;
	/** The addresses of a successful extraction; only such an answer has a text and an XML form. */
	entries?: readonly string[];
	/** Set where the answer does not come in the format that was asked for. */
	fixedFormat?: Format;
}

export function success(data: unknown, msg = ''): Answer {
	return { code: 0, msg, data };
}

/** What else there is to say has no place in text and XML. */
export function extracted(
	entries: readonly string[],
	further: Readonly<Record<string, number>> = {},
): Answer {
	return { ...success({ count: entries.length, proxy_list: entries, ...further }), entries };
}

/** Thrown wherever a call turns out not to be acceptable; becomes a failure answer. */
export class Refusal extends Error {
	constructor(
		readonly code: number,
		readonly msg: string,
		readonly fixedFormat?: Format,
	) {
		super(`${code}: ${msg}`);
	}

	toAnswer(): Answer {
		return { code: this.code, msg: this.msg, data: '', fixedFormat: this.fixedFormat };
	}
}

/** A refusal that a client which keeps the pace never sees. */
export class TooFast extends Refusal {}

export type Format = 'text' | 'json' | 'xml';

export interface Layout {
	format: Format;
	/** Between the entries of a text answer. */
	separator: string;
}

export const JSON_LAYOUT: Layout = { format: 'json', separator: '' };

const SEPARATORS = new Map([
	['1', '\r\n'],
	['2', '\n'],
	['3', ' '],
	['4', '|'],
]);

export function isFormat(value: string): value is Format {
	return value === 'text' || value === 'json' || value === 'xml';
}

export function isSeparatorNumber(value: string): boolean {
	return SEPARATORS.has(value);
}

/**
 * The layout an extraction call asks for. Also used to write down that the call is malformed, so it
 * takes the default for a value it does not know instead of failing.
 */
export function extractionLayout(parameters: ReadonlyMap<string, string>): Layout {
	const format = parameters.get('format') ?? 'text';
	return {
		format: isFormat(format) ? format : 'text',
		separator: SEPARATORS.get(parameters.get('sep') ?? '1') ?? '\r\n',
	};
}

export interface WrittenAnswer {
	contentType: string;
	body: string;
}

export function writeAnswer(answer: Answer, layout: Layout): WrittenAnswer {
	switch (answer.fixedFormat ?? layout.format) {
		case 'json':
			return { contentType: 'application/json; charset=utf-8', body: toJson(answer) };
		case 'xml':
			return { contentType: 'text/xml; charset=utf-8', body: toXml(answer) };
		case 'text':
			return { contentType: 'text/plain; charset=utf-8', body: toText(answer, layout.separator) };
	}
}

const BIGINT_MARK = '\u0000bigint ';
const MARKED_BIGINT = /"\\u0000bigint (\d+)"/g;

function toJson({ code, msg, data }: Answer): string {
	// A bigint is written with all its digits, which no number of JavaScript would keep.
	return JSON.stringify({ msg, code, data }, (_name, value: unknown) =>
		typeof value === 'bigint' ? `${BIGINT_MARK}${value}` : value,
	).replaceAll(MARKED_BIGINT, '$1');
}

function toText({ code, msg, entries = [] }: Answer, separator: string): string {
	return code === 0 ? entries.join(separator) : `ERROR(${code}): ${msg}`;
}

// No declaration and no CDATA: what the service's own XML has of either is not documented.
function toXml({ code, msg, entries }: Answer): string {
	const lines = [`<code>${code}</code>`, `<msg>${escapeXml(msg)}</msg>`];
	if (code === 0 && entries) {
		const proxies = entries.map((entry) => `<proxy>${escapeXml(entry)}</proxy>`).join('\n');
		lines.push(
			`<data>\n<count>${entries.length}</count>\n<proxy_list>\n${proxies}\n</proxy_list>\n</data>`,
		);
	} else {
		lines.push('<data></data>');
	}
	return `<result>\n${lines.join('\n')}\n</result>`;
}

function escapeXml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Codes with their words. */
export class OwnCodes<Code extends number> {
	private readonly messages: ReadonlyMap<number, string>;

	constructor(messages: Readonly<Record<Code, string>>) {
		this.messages = new Map(
			Object.entries(messages).map(([code, message]) => [Number(code), String(message)]),
		);
	}

	message(code: number): string | undefined {
		return this.messages.get(code);
	}

	/** The detail, the name of a parameter for one, helps whoever reads it in a test or a log. */
	refusal(code: Code, detail?: string, fixedFormat?: Format): Refusal {
		const message = this.messages.get(code) ?? '';
		const words = detail === undefined ? message : `${message}: ${detail}`;
		return new Refusal(code, words, fixedFormat);
	}
}

/** The codes every endpoint can give. The wording is ours; only the meaning is documented. */
export const COMMON_CODES = new OwnCodes({
	[-101]: '缺少secret_id参数',
	[-102]: '订单无效或已过期',
	[-103]: '缺少signature参数',
	[-104]: 'signature错误',
	[-105]: '不支持的sign_type',
	[-106]: '请使用POST方法',
	[-107]: 'secret token已过期',
	[-108]: '您的IP不在API白名单内',
	[-109]: '系统错误',
	[-110]: '缺少timestamp参数',
	[-111]: 'timestamp格式错误',
	[-112]: 'timestamp已过期',
	[-113]: 'nonce格式错误',
	[-114]: '重复请求',
	[-120]: '调用频率超过限制',
	[-121]: '该账户必须使用hmacsha1签名',
	[-122]: 'signature必须是secret token',
	[-123]: '密钥类型错误',
});
