/** Enough of a page to hold what it says of its own encoding. */
const HEAD_BYTES = 4096;

const OF_META = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:-]+)/i;
const OF_XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:-]+)/i;

const BYTE_ORDER_MARKS: ReadonlyArray<readonly [string, readonly number[]]> = [
	['utf-8', [0xef, 0xbb, 0xbf]],
	['utf-16le', [0xff, 0xfe]],
	['utf-16be', [0xfe, 0xff]],
];

/** The decoder for a name, whatever its spelling; undefined for an unknown one. */
function decoderFor(
	label: string | undefined,
	fatal: boolean,
): InstanceType<typeof TextDecoder> | undefined {
	if (label === undefined) return undefined;
	try {
		const { encoding } = new TextDecoder(label);
		// It holds all of GBK and GB 2312, which are named where more is used
		return new TextDecoder(encoding === 'gbk' ? 'gb18030' : encoding, { fatal });
	} catch {
		return undefined;
	}
}

/** @returns undefined where the bytes are something else, or the name is unknown */
function decodeAs(label: string | undefined, bytes: Uint8Array): string | undefined {
	try {
		return decoderFor(label, true)?.decode(bytes);
	} catch {
		return undefined;
	}
}

function ofMarks(bytes: Uint8Array): string | undefined {
	return BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
}

/** The encoding in a header such as `text/html; charset=gbk`. */
export function charsetOfType(contentType: string): string | undefined {
	return /;\s*charset\s*=\s*["']?\s*([\w:-]+)/i.exec(contentType)?.[1];
}

function ofDocument(bytes: Uint8Array): string | undefined {
	const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
	const label = (OF_XML.exec(head) ?? OF_META.exec(head))?.[1];
	const { encoding = '' } = decoderFor(label, false) ?? {};
	// It could not have been read here if it were true: browsers take such a page for UTF-8
	return encoding.startsWith('utf-16') ? 'utf-8' : label;
}

/** Two bytes for a character: of GBK the second one is nearly always above 0x7F, of Big5 often below. */
const FEWEST_IN_BIG5 = 0.12;
/** After a single letter with an accent, nearly every time. */
const FEWEST_IN_LATIN = 0.7;

/** A guess for bytes that are no UTF-8 and do not say what they are. */
function guess(bytes: Uint8Array): string {
	let pairs = 0;
	let low = 0;
	for (let at = 0; at < bytes.length; at += 1) {
		if (bytes[at] < 0x80) continue;
		pairs += 1;
		at += 1;
		if (bytes[at] < 0x80) low += 1;
	}
	const share = pairs === 0 ? 0 : low / pairs;
	if (share > FEWEST_IN_LATIN) return 'windows-1252';
	return share > FEWEST_IN_BIG5 ? 'big5' : 'gb18030';
}

interface LenientText {
	readonly text: string;
	/** Characters that could not be read. */
	readonly broken: number;
	/** Characters beyond ASCII that could. */
	readonly sound: number;
}

const REPLACEMENT = 0xfffd;

function decodeLeniently(label: string, bytes: Uint8Array): LenientText {
	const text = (decoderFor(label, false) ?? new TextDecoder()).decode(bytes);
	let broken = 0;
	let sound = 0;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit === REPLACEMENT) broken += 1;
		else if (unit > 0x7f) sound += 1;
	}
	return { text, broken, sound };
}

/** The first of those with the fewest broken characters. */
function leastBroken(texts: readonly LenientText[]): LenientText {
	return texts.reduce((best, next) => (next.broken < best.broken ? next : best));
}

/** Of text in GBK that is read as UTF-8, about four characters are broken for each that is not. */
const FEWEST_SOUND_PER_BROKEN = 4;

/** What servers say of pages whose encoding they do not know. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['windows-1252']);

/**
 * The text of a page: by its byte order mark, its header, its own `meta` tag, or by a look at its bytes. Where what
 * is said does not fit the bytes, the next of these counts. A page that is cut off, or has a few broken characters,
 * is read with those replaced.
 *
 * @param contentType the header; empty where there is none
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
	const said = [ofMarks(bytes), charsetOfType(contentType), ofDocument(bytes)]
		.map((label) => decoderFor(label, false)?.encoding)
		.filter((encoding) => encoding !== undefined);
	const named = said.filter((encoding) => !SAYS_NOTHING.has(encoding));
	const candidates = [...new Set([...named, 'utf-8'])];
	for (const encoding of candidates) {
		const text = decodeAs(encoding, bytes);
		if (text !== undefined) return text;
	}
	const texts = candidates.map((encoding) => decodeLeniently(encoding, bytes));
	const best = leastBroken(texts);
	if (best.sound >= FEWEST_SOUND_PER_BROKEN * best.broken) return best.text;
	const isLatin = named.length === 0 && said.length > 0;
	const likely = isLatin ? 'windows-1252' : guess(bytes);
	return decodeAs(likely, bytes) ?? leastBroken([...texts, decodeLeniently(likely, bytes)]).text;
}
