import { isWellFormed } from '../guards';

const LONGEST_SERVICE_TEXT = 500;
const LONGEST_EXCERPT = 200;

export type Secrets = readonly string[];

const HIDDEN = '[hidden]';

/** Hiding shorter strings would blank out half of a message, and no key is that short. */
const SHORTEST_SECRET = 6;

/**
 * No key and no token has more characters. A pattern of one could be too large, and what cut its text short could have
 * left half of it.
 */
export const LONGEST_SECRET = 1000;

/** A pattern for a secret as it is, in a URL, and in JSON. */
function patternOf(secret: string): RegExp {
	const encoded = isWellFormed(secret) ? encodeURIComponent(secret) : secret;
	const json = JSON.stringify(secret).slice(1, -1);
	// Some writers of JSON escape slashes
	const spellings = [secret, encoded, json, json.replaceAll('/', '\\/')];
	const escaped = spellings.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
	// Hexadecimal digits of an encoded one come in either case
	return new RegExp([...new Set(escaped)].join('|'), 'gi');
}

/** A signature: not known here because each request has its own, but valid for that request until it is too old. */
const SIGNATURE_PARAMETER =
	/(\bsignature["'\\]*\s*(?:[=:]|%(?:25)*3[ad])\s*["'\\]*)(?:(?!%(?:25)*26)[^&\s<>"'\\])+/giu;

function hideSecrets(text: string, secrets: Secrets): string {
	if (secrets.some((secret) => secret.length > LONGEST_SECRET)) return HIDDEN;
	return secrets
		.filter((secret) => secret.length >= SHORTEST_SECRET)
		.reduce((shown, secret) => shown.replace(patternOf(secret), HIDDEN), text)
		.replace(SIGNATURE_PARAMETER, `$1${HIDDEN}`);
}

/** The visible text of a page, such as that of a gateway; other text stays as it is. */
function withoutMarkup(text: string): string {
	if (!/^\s*<(?:!doctype html|html)\b/i.test(text)) return text;
	const shown = text
		.replace(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
		.replace(/<[^>]*(?:>|$)/g, ' ');
	return shown.trim() === '' ? text : shown;
}

/** Far more than is ever shown; answers may be megabytes long. */
const LONGEST_READ = 4000;

function cleaned(text: string, secrets: Secrets, longest: number): string {
	// Text of the service is untrusted: control characters could forge lines in a log, and a gateway
	// may echo the address of the request, which contains the token
	const hidden = hideSecrets(text.slice(0, LONGEST_READ), secrets);
	// The end may hold the first half of a secret
	const whole = text.length > LONGEST_READ ? hidden.slice(0, LONGEST_READ / 2) : hidden;
	const shown = withoutMarkup(whole)
		.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
		.trim();
	const characters = Array.from(shown);
	return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : shown;
}

/** A message of the service, fit to be shown: one line, 500 characters at most, no secrets. */
export function cleanServiceText(text: string, secrets: Secrets): string {
	return cleaned(text, secrets, LONGEST_SERVICE_TEXT);
}

/** The beginning of an answer that could not be read: one line, 200 characters at most, no secrets. */
export function excerpt(text: string, secrets: Secrets): string {
	return cleaned(text, secrets, LONGEST_EXCERPT);
}

/**
 * The beginning of data with missing fields, as `excerpt` shows it. Not for endpoints whose responses contain a
 * secret.
 */
export function excerptOfData(data: unknown, secrets: Secrets): string {
	return excerpt(JSON.stringify(data) ?? '', secrets);
}
