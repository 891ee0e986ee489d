/** Milliseconds since 1970. */
export type EpochMs = number;

const CHINA_OFFSET_MS = 8 * 3_600_000;

/** Year first, as the service writes it, or in another of the common ways; with a zone or without. */
const DATE_AND_TIME =
	/^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:T| +)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? ?(Z|[+-]\d{2}:?\d{2})?$/i;

/** Before the service existed: what some databases write for no date. */
const FIRST_YEAR = 2000;

/** Seconds and milliseconds since 1970, which have so many digits between 2001 and 2286. */
const EPOCH_SECONDS = /^[1-9]\d{9}$/;
const EPOCH_MILLISECONDS = /^[1-9]\d{12}$/;

function offsetMs(zone: string | undefined): number {
	if (zone === undefined) return CHINA_OFFSET_MS;
	if (zone.toUpperCase() === 'Z') return 0;
	const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
	return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

function isSameParts(utc: Date, parts: readonly number[]): boolean {
	const [year, month, day, hour, minute, second] = parts;
	return (
		utc.getUTCFullYear() === year &&
		utc.getUTCMonth() === month - 1 &&
		utc.getUTCDate() === day &&
		utc.getUTCHours() === hour &&
		utc.getUTCMinutes() === minute &&
		utc.getUTCSeconds() === second
	);
}

/**
 * A moment that the service tells. It documents `YYYY-MM-DD HH:MM:SS` without
 * a zone; China time is assumed, since the service is for users in China.
 *
 * @returns undefined for everything that could mean more than one moment, such as a day without a time
 */
export function parseServiceTime(value: unknown): EpochMs | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (EPOCH_SECONDS.test(text)) return Number(text) * 1000;
	if (EPOCH_MILLISECONDS.test(text)) return Number(text);
	const match = DATE_AND_TIME.exec(text);
	if (match === null) return undefined;
	const [, year, , month, day, hour, minute, second = '0', zone] = match;
	const parts = [year, month, day, hour, minute, second].map(Number);
	const utc = new Date(Date.UTC(parts[0], parts[1] - 1, ...parts.slice(2)));
	// A day such as February 30 would become one in March
	if (parts[0] < FIRST_YEAR || !isSameParts(utc, parts)) return undefined;
	return utc.getTime() - offsetMs(zone);
}

/** A moment as the member center would show it, such as `2026-06-18 12:01:43`. */
export function toChinaTime(moment: EpochMs): string {
	return new Date(moment + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** The same in ISO 8601, such as `2026-06-18T12:01:43+08:00`. */
export function toChinaIso(moment: EpochMs): string {
	return `${toChinaTime(moment).replace(' ', 'T')}+08:00`;
}

/**
 * Tells people a moment by the clock on their wall and by the one of the member
 * center: such as `2026-06-18 06:01:43 (Europe/Berlin; 2026-06-18 12:01:43 in China)`.
 */
export type LocalTime = (moment: EpochMs) => string;

/** @returns undefined for a zone that the runtime doesn't know */
function inZone(moment: EpochMs, timeZone: string): string | undefined {
	try {
		const formatter = new Intl.DateTimeFormat('en-US', {
			...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
			...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
		});
		const parts = formatter
			.formatToParts(moment)
			.map(({ type, value }): [string, string] => [type, value]);
		const { year, month, day, hour, minute, second } = Object.fromEntries(parts);
		return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
	} catch {
		return undefined;
	}
}

/** @param timeZone of the workflow */
export function localTimeIn(timeZone: string): LocalTime {
	return (moment) => {
		const inChina = toChinaTime(moment);
		const local = inZone(moment, timeZone);
		return local === undefined || local === inChina
			? `${inChina} (China time)`
			: `${local} (${timeZone}; ${inChina} in China)`;
	};
}
