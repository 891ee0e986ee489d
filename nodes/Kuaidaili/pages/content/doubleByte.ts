import { eachHkscsCharacter } from '../../../shared/bundled/hkscs';

/** Trail bytes of a pair: from the first one on. */
const FIRST_TRAIL = 0x40;
const TRAILS = 0xbf;
const FIRST_LEAD = 0x81;
const LAST_LEAD = 0xfe;

/** One or two units of UTF-16 by pair of bytes, the second one in the upper half; 0 for none. */
type PairTable = Uint32Array;

function indexOf(lead: number, trail: number): number {
	return (lead - FIRST_LEAD) * TRAILS + trail - FIRST_TRAIL;
}

/** Adds the characters of Big5 that only Hong Kong has (Encoding standard, 12.1). */
function addHkscs(table: Array<string | undefined>): void {
	eachHkscsCharacter((pointer, character) => {
		const trail = pointer % 157;
		const lead = FIRST_LEAD + Math.floor(pointer / 157);
		table[indexOf(lead, trail + (trail < 0x3f ? 0x40 : 0x62))] = character;
	});
}

/**
 * Adds the syllables that Unified Hangul Code has beyond EUC-KR, which are all others in the order of Unicode (Encoding
 * standard, 13.2).
 */
function addHangul(table: Array<string | undefined>): void {
	const known = new Set(table);
	const isTrail = (trail: number, lead: number) =>
		(trail > 0x40 && trail < 0x5b) ||
		(trail > 0x60 && trail < 0x7b) ||
		(trail > 0x80 && trail <= (lead < 0xa1 ? 0xfe : 0xa0));
	let syllable = 0xac00;
	for (let lead = FIRST_LEAD; lead <= 0xc6; lead += 1) {
		for (let trail = FIRST_TRAIL; trail <= 0xfe; trail += 1) {
			if (!isTrail(trail, lead)) continue;
			while (known.has(String.fromCharCode(syllable))) syllable += 1;
			if (syllable > 0xd7a3) break;
			table[indexOf(lead, trail)] = String.fromCharCode(syllable);
			syllable += 1;
		}
	}
	table[indexOf(0xa2, 0xe6)] = '€';
	table[indexOf(0xa2, 0xe7)] = '®';
}

/** Characters that Node's decoder does not know, by encoding. */
const ADDITIONS: Readonly<Record<string, (table: Array<string | undefined>) => void>> = {
	big5: addHkscs,
	'euc-kr': addHangul,
};

const pairTables = new Map<string, PairTable>();

/** The characters of an encoding that has pairs of bytes, as the Encoding standard maps them. */
function pairsOf(encoding: string): PairTable {
	const known = pairTables.get(encoding);
	if (known !== undefined) return known;
	const decoder = new TextDecoder(encoding);
	const table: Array<string | undefined> = [];
	for (let lead = FIRST_LEAD; lead <= LAST_LEAD; lead += 1) {
		for (let trail = FIRST_TRAIL; trail < FIRST_TRAIL + TRAILS; trail += 1) {
			const character = decoder.decode(Uint8Array.of(lead, trail));
			// Neither none, nor two, nor one for private use
			table.push(/^[^\uFFFD\uE000-\uF8FF]$/u.test(character) ? character : undefined);
		}
	}
	ADDITIONS[encoding](table);
	const units = Uint32Array.from(table, (character) =>
		character === undefined
			? 0
			: character.charCodeAt(0) + 0x10000 * (character.charCodeAt(1) || 0),
	);
	pairTables.set(encoding, units);
	return units;
}

/** Whether Node's decoder lacks characters of an encoding, so that this module has to read it. */
export function isReadByPairs(encoding: string): boolean {
	return Object.hasOwn(ADDITIONS, encoding);
}

const UNKNOWN_CHARACTER = 0xfffd;

/** The text of bytes in Big5 or EUC-KR. */
export function decodePairs(bytes: Uint8Array, encoding: string): string {
	const table = pairsOf(encoding);
	// A pair becomes two units at most
	const units = new Uint16Array(bytes.length);
	let length = 0;
	for (let at = 0; at < bytes.length; at += 1) {
		const lead = bytes[at];
		const trail = bytes[at + 1] ?? 0;
		const isPair =
			lead >= FIRST_LEAD && lead <= LAST_LEAD && trail >= FIRST_TRAIL && trail <= LAST_LEAD;
		const pair = isPair ? table[indexOf(lead, trail)] : 0;
		units[length] = pair === 0 ? (lead < 0x80 ? lead : UNKNOWN_CHARACTER) : pair & 0xffff;
		length += 1;
		if (pair > 0xffff) {
			units[length] = pair >>> 16;
			length += 1;
		}
		// An ASCII byte behind a lead byte that it makes no pair with is read by itself
		if (pair !== 0 || (lead >= FIRST_LEAD && lead <= LAST_LEAD && trail >= 0x80)) at += 1;
	}
	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}
