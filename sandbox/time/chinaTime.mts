export const CHINA_OFFSET_MS = 8 * 60 * 60 * 1000;

function shifted(date: Date): string {
	return new Date(date.getTime() + CHINA_OFFSET_MS).toISOString();
}

/** `YYYY-MM-DD HH:MM:SS`, without a zone as the service writes it. That it means China time is an assumption. */
export function chinaTime(date: Date): string {
	return shifted(date).slice(0, 19).replace('T', ' ');
}

/** The calendar day that "already extracted today" refers to. */
export function chinaDay(date: Date): string {
	return shifted(date).slice(0, 10);
}
