import { percentDecoded } from '../../../shared/guards';
import { decodeText } from './encoding';

/** A header with more is none that names a file. */
const LONGEST_DISPOSITION = 4000;

const LONGEST_FILE_NAME = 200;

/** Parameters of a header: names with values, quoted or not; an unquoted one may have blanks in it. */
const PARAMETER = /;\s{0,9}([\w*-]{1,40})\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gs;

/** Encoded words of mail, one behind the other. */
const ENCODED_WORDS = /(?:=\?[\w-]{1,40}\?[bq]\?[^?\s]*\?=)+/gi;

/** An encoded word of mail, as in "=?UTF-8?B?5oql5ZGK?=" (RFC 2047). */
const ENCODED_WORD = /=\?([\w-]{1,40})\?([bq])\?([^?\s]*)\?=/gi;

function bytesOfWord(text: string, form: string): Uint8Array {
	if (form.toLowerCase() === 'b') return Buffer.from(text, 'base64');
	const escaped = text
		.replace(/_/g, ' ')
		.replace(/=([\da-f]{2})/gi, (_all, hex: string) =>
			String.fromCharCode(Number.parseInt(hex, 16)),
		);
	return Buffer.from(escaped, 'latin1');
}

function withDecodedWords(text: string): string {
	const joined = text.replace(/(\?=)\s{1,99}(?==\?)/g, '$1');
	return joined.replace(ENCODED_WORDS, (run) => {
		const decoded: Array<{ charset: string; bytes: Uint8Array }> = [];
		for (const [, charset, form, word] of run.matchAll(ENCODED_WORD)) {
			const bytes = bytesOfWord(word, form);
			const last = decoded.at(-1);
			// A character may be divided between two words
			if (last?.charset === charset) last.bytes = Buffer.concat([last.bytes, bytes]);
			else decoded.push({ charset, bytes });
		}
		return decoded.map(({ charset, bytes }) => decodeText(bytes, `; charset=${charset}`)).join('');
	});
}

/** A value such as "utf-8'en'%E6%8A%A5.pdf" (RFC 8187), or only what stands behind the quotes. */
function extendedValue(value: string): string {
	const text = value.trim().replace(/^([\w-]{1,40})%27([^'%]{0,40})%27/, "$1'$2'");
	const parts = /^([\w-]{0,40})'([^']{0,40})'(.*)$/s.exec(text);
	if (parts === null) return percentDecoded(text);
	const [, charset, , encoded] = parts;
	const bytes = encoded.replace(/%([\da-f]{2})/gi, (_all, hex: string) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
	return decodeText(Buffer.from(bytes, 'latin1'), `; charset=${charset}`);
}

function namedIn(header: string): string | undefined {
	// A single byte of them is neither UTF-8 nor GB 2312
	const isLatin = /(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])/.test(header);
	const text = isLatin ? header : decodeText(Buffer.from(header, 'latin1'), '');
	const values = new Map<string, string>();
	// Some servers leave out what kind of disposition it is
	const parameters = `;${text.replace(/^\s{0,99}(?:attachment|inline|form-data)?\s{0,99}/i, '')}`;
	for (const [, name, quoted, bare] of parameters.matchAll(PARAMETER)) {
		// A quote that is never closed is none
		const value =
			quoted === undefined ? bare.trim().replace(/^"/, '') : quoted.replace(/\\(.)/gs, '$1');
		if (!values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
	}
	const extended = values.get('filename*');
	const plain = values.get('filename');
	if (extended !== undefined && extended !== '') return extendedValue(extended);
	return plain === undefined || plain === '' ? undefined : percentDecoded(withDecodedWords(plain));
}

/** The name of a file as the server or the address calls it: in any of the ways in which servers write what is not English. */
export function fileNameOf(disposition: unknown, url: string): string {
	const header = typeof disposition === 'string' ? disposition.slice(0, LONGEST_DISPOSITION) : '';
	const ofUrl = () => percentDecoded(new URL(url).pathname.split('/').at(-1) ?? '');
	// No folders, nothing that a file system does not take, and nothing that shows "fdp.exe" as "exe.pdf"
	const safeName = (namedIn(header) ?? ofUrl())
		.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, '')
		.replace(/[\p{Cc}\\/:*?"<>|]+/gu, '_');
	const name = safeName.trim().slice(0, LONGEST_FILE_NAME);
	return /^\.*$/.test(name) ? 'page' : name;
}
