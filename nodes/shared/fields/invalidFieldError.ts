const LONGEST_SHOWN_VALUE = 60;

const FOUND_NOTHING = 'If the field is an expression, it found nothing for this item.';

/** The length of a text that is searched: longer than what is shown, and short enough for any pattern. */
const LONGEST_SEARCHED_TEXT = 1000;

/** Patterns of logins and keys, in whatever field they were entered. */
const SECRETS: ReadonlyArray<readonly [pattern: RegExp, shown: string]> = [
	[/\/\/[^\s/"]*@/g, '//***@'],
	[/(?<![^\s"])(?!mailto:)[^\s/"]*:[^\s/"]*@/g, '***@'],
	// Behind the address of a proxy, however it is set apart, or before it
	[/(?<![\w.-])(((?:[\w-]+\.)+[\w-]+|\[[\da-f:.]+\]):\d+)(?!\d)[^/?#"][^"]*/gi, '$1 ***'],
	// Not a moment with its time zone, such as 2026-03-31T00:00:00.000-05:00
	[/(?<![^\s"])(?!\d{4}-\d\d-\d\dT)[^\s/":]+:[^\s/":]+:(?=(?:[\w-]+\.)+[\w-]+:\d)/g, '***:'],
	// The user name of a proxy
	[/(?<=^|[^\w/.-]|\/\/)[tdf]\d{8,}(?![\w.])[^"]*/g, '***'],
	// Keys mix letters and digits
	[/(?<![\w/.-])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}(?![\w.])/gi, '***'],
	[/("pass\w*":)"[^"]*"/gi, '$1"***"'],
];

/** A value in a message, without what may be secret in it. */
export function shortLine(text: string): string {
	const line = text.slice(0, LONGEST_SEARCHED_TEXT).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
	const safe = SECRETS.reduce((all, [pattern, shown]) => all.replace(pattern, shown), line);
	const characters = Array.from(safe);
	return characters.length > LONGEST_SHOWN_VALUE
		? `${characters.slice(0, LONGEST_SHOWN_VALUE).join('')}…`
		: safe;
}

function shown(value: unknown): string {
	let text: string | undefined;
	try {
		// JSON cannot represent NaN
		text = ['bigint', 'number'].includes(typeof value) ? String(value) : JSON.stringify(value);
	} catch {
		text = 'a value that cannot be shown';
	}
	return shortLine(text ?? String(value));
}

export class InvalidFieldError extends Error {
	/** The allowed values and the advice, in whole sentences. */
	readonly description: string;

	/** @param message what is wrong, where the value does not say it */
	constructor(
		readonly fieldLabel: string,
		value: unknown,
		allowed: string,
		message?: string,
	) {
		const isMissing = value === undefined || value === null;
		const isWrong = isMissing || value === '' ? 'is empty' : `can't be ${shown(value)}`;
		super(message ?? `'${fieldLabel}' ${isWrong}`);
		this.name = 'InvalidFieldError';
		this.description = isMissing ? `${allowed} ${FOUND_NOTHING}` : allowed;
	}
}

/** The error for a field whose value may be secret: nothing of it is shown. */
export function secretFieldError(fieldLabel: string, allowed: string): InvalidFieldError {
	const message = `'${fieldLabel}' holds something that cannot be used`;
	return new InvalidFieldError(fieldLabel, '', allowed, message);
}
