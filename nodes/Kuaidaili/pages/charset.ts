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
