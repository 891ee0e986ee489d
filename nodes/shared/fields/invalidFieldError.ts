const LONGEST_SHOWN_VALUE = 60;

const FOUND_NOTHING = 'If the field is an expression, it found nothing for this item.';

export function shortLine(text: string): string {
	const line = text
		.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
		// The login of a URL
		.replace(/\/\/[^\s/"]*@/g, '//***@');
	const characters = Array.from(line);
	return characters.length > LONGEST_SHOWN_VALUE
		? `${characters.slice(0, LONGEST_SHOWN_VALUE).join('')}…`
		: line;
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
	/** What is allowed and what to do, in whole sentences. */
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
