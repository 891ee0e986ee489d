import type { Answer } from './answer.mts';

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
