import { simpleText, type ValueKind } from '../../shared/fields/valueKinds';

/** What the editor's calendar and most expressions give: a day and a time, of which the time means nothing. */
const DAY_AND_TIME = /^(\d{4}-\d{2}-\d{2})[T ]\d.*$/;

function isDay(text: string): boolean {
	const isWritten = /^\d{4}-\d{2}-\d{2}$/.test(text);
	// The 31st of a shorter month would be taken for a day of the next one
	return isWritten && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/** A day as the service writes it; of a day and a time, the day. */
export const calendarDate: ValueKind = {
	property: { type: 'dateTime', default: '', typeOptions: { dateOnly: true } },
	allowed: 'a day such as 2026-03-31',
	toText(value) {
		const text = simpleText(value);
		return typeof text === 'string' ? text.replace(DAY_AND_TIME, '$1') : text;
	},
	accepts: isDay,
};
