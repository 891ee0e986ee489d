const CHINA_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
const CHINA_OFFSET_MS = 8 * 3_600_000;

/**
 * The service's `YYYY-MM-DD HH:MM:SS` in ISO 8601. It states no zone; China time is assumed, since the
 * service is for users in China.
 *
 * @returns such as `2026-06-18T12:01:43+08:00`; undefined for anything else, pay-as-used orders for
 * example have an empty text
 */
export function fromChinaTime(text: unknown): string | undefined {
	const match = typeof text === 'string' ? CHINA_TIME.exec(text) : null;
	if (match === null) return undefined;
	const iso = `${match[1]}T${match[2]}+08:00`;
	return Number.isNaN(Date.parse(iso)) ? undefined : iso;
}

/** A moment as the member center would show it, such as `2026-06-18 12:01:43`. */
export function toChinaTime(milliseconds: number): string {
	return new Date(milliseconds + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
