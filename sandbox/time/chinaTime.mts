const CHINA_OFFSET_MS = 8 * 60 * 60 * 1000;

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

export const TIME_UNITS = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const;

export type TimeUnit = (typeof TIME_UNITS)[number];

export interface Term {
	unit: TimeUnit;
	number: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Months and years are counted in the calendar of China, and a day that the month does not have
 * becomes its last one. How the service counts is not documented.
 */
export function addTerm(start: Date, { unit, number }: Term): Date {
	switch (unit) {
		case 'DAY':
			return new Date(start.getTime() + number * DAY_MS);
		case 'WEEK':
			return new Date(start.getTime() + number * 7 * DAY_MS);
		case 'MONTH':
			return addMonths(start, number);
		case 'YEAR':
			return addMonths(start, number * 12);
	}
}

function addMonths(start: Date, months: number): Date {
	const local = new Date(start.getTime() + CHINA_OFFSET_MS);
	const day = local.getUTCDate();
	local.setUTCMonth(local.getUTCMonth() + months);
	// The 31st of a shorter month has run over into the next one.
	if (local.getUTCDate() !== day) local.setUTCDate(0);
	return new Date(local.getTime() - CHINA_OFFSET_MS);
}

/** Of an order without an end it is an empty text. */
export function writtenExpiry({ expiresAt }: { expiresAt: Date | undefined }): string {
	return expiresAt ? chinaTime(expiresAt) : '';
}
