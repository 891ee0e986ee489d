import { TextDecoder } from '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** The text of bytes as the Encoding standard maps them, of which Node differs in five encodings. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
	return new TextDecoder(encoding).decode(bytes);
}

/** Characters that are encoded in a query besides those beyond ASCII (url.spec.whatwg.org, special-query). */
const OF_QUERIES = ` "#'<>`;

/** A text as it stands in the query of an address; what the encoding lacks is a character reference. */
export function percentEncodeIn(encoding: string, text: string): string {
	// Pages that are read as GB18030 mostly say GBK, which has fewer characters
	const written = encoding === 'gb18030' ? 'gbk' : encoding;
	return percentEncodeAfterEncoding(written, text, OF_QUERIES);
}
