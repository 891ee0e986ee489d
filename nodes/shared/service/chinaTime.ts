/** Milliseconds since 1970. */
export type EpochMs = number;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const CHINA_OFFSET_MS = 8 * HOUR_MS;

/** A date and a time, as the service writes them, or as ISO 8601 has them. */
const DATE_AND_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/;

/** A day before the service existed: some databases write earlier ones for no date. */
const FIRST_DAY = '2000-01-01';

/** Whether it is a day of the calendar, such as `2026-03-31`. */
export function isDay(text: string): boolean {
	const isWritten = /^\d{4}-\d{2}-\d{2}$/.test(text);
	// The 31st of a shorter month would be taken for a day of the next one
	return isWritten && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/**
 * A moment that the service tells, documented as `YYYY-MM-DD HH:MM:SS` without a zone: China time is assumed,
 * since the service is for users in China. Undefined for everything else.
 */
export function parseServiceTime(value: unknown): EpochMs | undefined {
	const match = typeof value === 'string' ? DATE_AND_TIME.exec(value.trim()) : null;
	if (match === null) return undefined;
	const [, day, time, zone = '+08:00'] = match;
	const moment = Date.parse(`${day}T${time}${zone}`);
	return isDay(day) && day >= FIRST_DAY && !Number.isNaN(moment) ? moment : undefined;
}

/** A moment as the member center would show it, such as `2026-06-18 12:01:43`. */
export function toChinaTime(moment: EpochMs): string {
	return new Date(moment + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** A moment in China time in ISO 8601, such as `2026-06-18T12:01:43+08:00`. */
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
		// Sweden writes them as the service does
		return new Date(moment).toLocaleString('sv-SE', { timeZone });
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
