import { asError } from '../../../../shared/errors/callErrors';
import { readRequiredField } from '../../../../shared/fields/field';
import { InvalidFieldError, shortLine } from '../../../../shared/fields/invalidFieldError';
import { isList } from '../../../../shared/guards';
import { urlField } from './fields';

/** The address of a page, as it was entered for an item. */
export interface PageAddress {
	/** Empty where it is no text. */
	readonly entered: string;
	/** Empty where it cannot be used. */
	readonly url: string;
	/** Why it cannot be used. */
	readonly error?: Error;
}

interface Mistake {
	readonly pattern: RegExp;
	/** As the continuation of "'URL' is ". */
	readonly what: string;
	/** Whether it may hold a login, which no error repeats. */
	readonly isSecret?: true;
	readonly advice: string;
}

/** What is often entered in place of an address. None of them is one. */
const MISTAKES: readonly Mistake[] = [
	{
		pattern:
			/^(?:socks\w*:\/\/|https?:\/\/[^\s/]*@[^\s/]+:\d+\/?$|(?:[^\s/]*@)?(?:\d{1,3}\.){3}\d{1,3}:\d+(?::\S*)?$)/i,
		what: 'the address of a proxy',
		isSecret: true,
		advice: 'Enter the address of the page. The node takes proxies for it by itself.',
	},
	{
		pattern: /^(?:\.{0,2}\/(?!\/)|[?#]|[\w%-]+(?:\/|\.(?:html?|php|aspx?|jsp)(?:[?#]|$)))/i,
		what: 'an address without a site',
		advice: "Put the site in front of it, as in {{ 'https://example.com' + $json.url }}.",
	},
	{
		pattern: /^(?:[^:/{]*\s[^:/{]*|[^.:/{\s]+)$/,
		what: 'text, not an address',
		advice:
			"To search a site, enter the address of the site's results, such as https://example.com/search?q=red+shoes.",
	},
];

function refusal(text: string): InvalidFieldError | undefined {
	const mistake = MISTAKES.find(({ pattern }) => pattern.test(text));
	if (mistake === undefined) return undefined;
	const { what, isSecret, advice } = mistake;
	const { displayName, kind } = urlField;
	const error = new InvalidFieldError(displayName, '', `Allowed: ${kind.allowed}. ${advice}`);
	error.message = `'${displayName}' is ${what}${isSecret === true ? '' : `: ${shortLine(text)}`}`;
	return error;
}

function readAddress(value: unknown): PageAddress {
	const entered = typeof value === 'string' ? value.trim() : '';
	try {
		const error = refusal(entered);
		if (error !== undefined) return { entered, url: '', error };
		return { entered, url: new URL(readRequiredField(urlField, value)).href };
	} catch (error) {
		return { entered, url: '', error: asError(error) };
	}
}

/**
 * The addresses in 'URL', at least one: of a list, or of a text with one per line.
 *
 * @returns whether there may be several as well, even where there is one
 */
export function readAddresses(value: unknown): {
	readonly addresses: readonly PageAddress[];
	readonly areSeveral: boolean;
} {
	if (isList(value) && value.length > 0) {
		return { addresses: value.map(readAddress), areSeveral: true };
	}
	const lines =
		typeof value === 'string' ? value.split(/[\r\n]+/).filter((line) => line.trim()) : [];
	const areSeveral = lines.length > 1;
	return { addresses: (areSeveral ? lines : [value]).map(readAddress), areSeveral };
}
