import { asError } from '../../../../shared/errors/callErrors';
import { readRequiredField, type Field } from '../../../../shared/fields/field';
import { shortLine } from '../../../../shared/fields/invalidFieldError';
import { text, type ValueKind } from '../../../../shared/fields/valueKinds';
import { isList } from '../../../../shared/guards';

/** The address of a page, as it was entered for an item. */
export interface PageAddress {
	/** As it was entered; empty where it is no text. */
	readonly address: string;
	/** Empty where it cannot be used. */
	readonly url: string;
	/** Why it cannot be used. */
	readonly urlError?: Error;
	/** Whether the item may have other pages, so that only their addresses tell them apart. */
	readonly isOneOfSeveral: boolean;
}

interface Mistake {
	readonly pattern: RegExp;
	/** As the continuation of "'URL' is ". */
	readonly what?: string;
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
	{ pattern: /^[\w-]+(\.[\w-]+)+(?:[:/?#]|$)/, advice: "Put 'https://' in front of it." },
	{
		pattern: /^https?:\/\/[^/?#]*@/i,
		advice: "A login doesn't belong in the address. Put it into 'Headers'.",
	},
];

function mistakeIn(entered: string): Mistake | undefined {
	return MISTAKES.find(({ pattern }) => pattern.test(entered));
}

/** Of http or https, without a login. */
function isPageUrl(entered: string): boolean {
	if (!/^https?:\/\/[^/?#]/i.test(entered) || !URL.canParse(entered)) return false;
	const { hostname, username, password } = new URL(entered);
	return hostname !== '' && username === '' && password === '';
}

const pageUrl: ValueKind = {
	...text('the full address of a page, such as https://example.com/list?page=2', isPageUrl),
	property: { type: 'string', typeOptions: { rows: 2 }, default: '={{ $json.url }}' },
	ifMissing:
		"Enter one, or several with one per line; or drag the column of the input that has them into 'URL'.",
	advice: (entered) => mistakeIn(entered)?.advice,
};

export const urlField: Field = {
	name: 'url',
	displayName: 'URL',
	description:
		'The address of the page to open, or several: a list, or one per line. Each becomes an item.',
	placeholder: 'e.g. https://example.com/list?page=2',
	kind: pageUrl,
	required: true,
};

function readAddress(value: unknown): Omit<PageAddress, 'isOneOfSeveral'> {
	const address = typeof value === 'string' ? value.trim() : '';
	try {
		return { address, url: new URL(readRequiredField(urlField, value)).href };
	} catch (error) {
		const urlError = asError(error);
		const { what, isSecret } = mistakeIn(address) ?? {};
		if (what !== undefined) {
			const shown = isSecret === true ? '' : `: ${shortLine(address)}`;
			urlError.message = `'${urlField.displayName}' is ${what}${shown}`;
		}
		return { address, url: '', urlError };
	}
}

/** The addresses in 'URL', at least one: of a list, or of a text with one per line. */
export function readAddresses(value: unknown): readonly PageAddress[] {
	const typed = typeof value === 'string' ? value : '';
	const several = isList(value) ? value : typed.split(/[\r\n]+/).filter((line) => line.trim());
	const isOneOfSeveral = several.length > (isList(value) ? 0 : 1);
	const addresses = isOneOfSeveral ? several : [value];
	return addresses.map((one) => ({ ...readAddress(one), isOneOfSeveral }));
}
