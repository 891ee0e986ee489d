import { toChinaTime } from './chinaTime';

/**
 * Tells people a moment, in milliseconds since 1970, by the clock on their wall and by the one of the member
 * center: such as `2026-06-18 06:01:43 (Europe/Berlin; 2026-06-18 12:01:43 in China)`.
 */
export type LocalTime = (milliseconds: number) => string;

/** @returns undefined for a zone that the runtime doesn't know */
function inZone(milliseconds: number, timeZone: string): string | undefined {
	try {
		const formatter = new Intl.DateTimeFormat('en-US', {
			...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
			...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
		});
		const parts = formatter
			.formatToParts(milliseconds)
			.map(({ type, value }): [string, string] => [type, value]);
		const { year, month, day, hour, minute, second } = Object.fromEntries(parts);
		return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
	} catch {
		return undefined;
	}
}

/** @param timeZone of the workflow */
export function localTimeIn(timeZone: string): LocalTime {
	return (milliseconds) => {
		const inChina = toChinaTime(milliseconds);
		const local = inZone(milliseconds, timeZone);
		return local === undefined || local === inChina
			? `${inChina} (China time)`
			: `${local} (${timeZone}; ${inChina} in China)`;
	};
}
