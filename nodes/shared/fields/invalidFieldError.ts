import { formatNumber } from '../wording';

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

	constructor(
		readonly fieldLabel: string,
		value: unknown,
		allowed: string,
	) {
		const isMissing = value === undefined || value === null;
		super(
			isMissing || value === ''
				? `'${fieldLabel}' is empty`
				: `'${fieldLabel}' can't be ${shown(value)}`,
		);
		this.name = 'InvalidFieldError';
		this.description = isMissing ? `${allowed} ${FOUND_NOTHING}` : allowed;
	}
}

/** The same for a field whose value may be secret. */
export class SecretFieldError extends InvalidFieldError {
	constructor(fieldLabel: string, allowed: string) {
		super(fieldLabel, '', allowed);
		this.message = `'${fieldLabel}' holds something that cannot be used`;
	}
}

/** A section of the editor with fields, but without one that it needs. */
export class MissingFieldError extends InvalidFieldError {
	/** @param advice what to do, in whole sentences */
	constructor(sectionLabel: string, fieldLabel: string, advice: string) {
		super(sectionLabel, '', advice);
		this.message = `'${fieldLabel}' is missing in '${sectionLabel}'`;
	}
}

/** A limit set by the user that would be exceeded; nothing was sent. */
export class LimitError extends InvalidFieldError {
	/** @param advice what would exceed it and what to do, in whole sentences */
	constructor(fieldLabel: string, limit: number, advice: string) {
		super(fieldLabel, limit, advice);
		this.message = `'${fieldLabel}' allows only ${formatNumber(limit)}`;
	}
}
