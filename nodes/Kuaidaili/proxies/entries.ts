import { isIpv4 } from '../../shared/fields/kinds';
import { isList, isWellFormed, ownValue } from '../../shared/guards';
import type { ExtractionAnswer, FlatParameters } from '../../shared/service/wireTypes';
import { InvalidResponseError } from '../../shared/api/errors';

/** A value that the service appends to an entry; all but `secondsLeft` exactly as it sends them. */
export type ExtraName =
	| 'region'
	| 'cityCode'
	| 'carrier'
	| 'anonymity'
	| 'protocol'
	| 'responseTime'
	| 'secondsLeft';

/** A proxy as it comes. Optional parts are there only when they were asked for and arrived. */
export type ExtractedProxy = Partial<
	Record<Exclude<ExtraName, 'secondsLeft'> | 'username' | 'password' | 'area', string>
> & {
	/** `host:port`, an IPv6 host in brackets. */
	address: string;
	/** The host without the brackets of an IPv6 address. */
	host: string;
	port: number;
	/** The address that websites see. */
	publicIp?: string;
	/** At the moment of the answer. */
	secondsLeft?: number;
	/** ISO 8601. */
	expiresAt?: string;
	/** The whole entry, when some of it could not be assigned without doubt. */
	raw?: string;
};

/** An address of IPv4, one of IPv6 in brackets, or a name. */
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+):([1-9]\d{0,4})$/;

const LARGEST_PORT = 65_535;

/** A name of 253 characters, a colon and a port. A far longer text would overflow the stack of an expression. */
const LONGEST_ADDRESS = 259;

/** An address with a login and an area. */
const LONGEST_FIRST_PART = 2000;

/** @returns undefined when the text is not an address and a port, and nothing else */
function readAddress(text: string): ExtractedProxy | undefined {
	if (text.length > LONGEST_ADDRESS) return undefined;
	const [, host, digits] = ADDRESS.exec(text) ?? [];
	const port = Number(digits);
	if (host === undefined || port > LARGEST_PORT) return undefined;
	// Nearly every entry is one
	if (isIpv4(host)) return { address: text, host, port };
	// It has to be an address for the next node, too. `12.30:8080` is none, whatever URLs take it for
	if (!/[A-Za-z:]/.test(host) || !URL.canParse(`http://${text}`)) return undefined;
	return { address: text, host: host.replace(/^\[|\]$/g, ''), port };
}

/** The character that replaces text of another encoding than UTF-8. */
const UNREADABLE = '\uFFFD';

const LOGIN = '(?<username>[^:]+):?(?<password>.*)';
const PLACE = String.raw`(?<address>(?:\[[^\]]*\]|[^:\]]*):\d{1,5})`;

/** Known layouts of an address with a login: told by their shape, because the sources contradict each other. */
const LAYOUTS = [
	`${LOGIN}@(?<address>[^@]*)`,
	`(?<address>[^@]*)@${LOGIN}`,
	// A login has two parts; with one alone, what it is stays unknown
	`${PLACE}:[^:]+`,
	`${PLACE}:${LOGIN}`,
	`${LOGIN}:${PLACE}`,
].map((layout) => new RegExp(`^${layout}$`));

const LAYOUTS_WITH_AREA = [
	new RegExp(`^${PLACE}:(?<username>[^:]+):(?<password>.*):(?<area>[^:]*)$`),
	...LAYOUTS,
];

/** @param hasArea whether the area of the proxy stands behind its login */
function readFirstPart(text: string, hasArea: boolean): ExtractedProxy | undefined {
	const alone = readAddress(text);
	if (alone !== undefined || text.length > LONGEST_FIRST_PART) return alone;
	for (const layout of hasArea ? LAYOUTS_WITH_AREA : LAYOUTS) {
		const { address = '', ...others } = layout.exec(text)?.groups ?? {};
		const result = readAddress(address);
		if (result !== undefined && isWellFormed(text))
			return 'username' in others ? { ...result, ...others } : { ...result, raw: text };
	}
	return undefined;
}

/**
 * Reads one entry: `ip:port`, then the requested values, separated by commas. Their wording is not
 * documented and may hold commas itself, so they are assigned only where exactly as many came as were
 * asked for; else the entry is left as `raw`.
 *
 * @param requested in the order of the values
 * @param hasArea whether the area of the proxy stands behind its login
 * @returns undefined when the entry does not begin with an address
 */
export function readProxyEntry(
	entry: string,
	requested: readonly ExtraName[],
	hasArea = false,
): ExtractedProxy | undefined {
	const [first, ...values] = entry.trim().split(',');
	const result = readFirstPart(first.trim(), hasArea);
	if (result === undefined) return undefined;
	while (values.length > requested.length && values.at(-1)?.trim() === '') values.pop();
	const texts = values.map((value) => value.trim());
	const seconds = texts[requested.indexOf('secondsLeft')];
	const isDoubtful =
		result.raw !== undefined ||
		texts.length !== requested.length ||
		(seconds !== undefined && !/^\d{0,9}$/.test(seconds)) ||
		texts.some((text) => text.includes(UNREADABLE));
	if (isDoubtful) return { ...result, raw: entry.trim() };
	requested.forEach((name, position) => {
		const text = texts[position];
		if (name !== 'secondsLeft') result[name] = text;
		else if (text !== '') result.secondsLeft = Number(text);
	});
	return result;
}

/** Separators by the service's values of `sep`, besides line ends, which separate in any case. */
const SEPARATORS: ReadonlyMap<string, string> = new Map([
	['3', ' '],
	['4', '|'],
]);

/** Splits the text format. A separator inside a value, a space in a region, joins its parts again. */
function splitText(text: string, sep: string): string[] {
	const separator = SEPARATORS.get(sep);
	const lines = text.split(/[\r\n]+/);
	if (separator === undefined) return lines;
	const entries: string[] = [];
	for (const part of lines.flatMap((line) => line.split(separator))) {
		if (part.trim() === '') continue;
		const continues = entries.length > 0 && readProxyEntry(part, []) === undefined;
		if (continues) entries.push(`${entries.pop()}${separator}${part}`);
		else entries.push(part);
	}
	return entries;
}

/** `proxy_list` of JSON is a list; of XML an element with `proxy` elements: none, one or a list. */
function listOf(data: unknown): unknown[] | undefined {
	const proxyList = ownValue(data, 'proxy_list');
	if (isList(proxyList)) return proxyList;
	if (proxyList === '') return [];
	const inXml = ownValue(proxyList, 'proxy');
	if (isList(inXml)) return inXml;
	return typeof inXml === 'string' ? [inXml] : undefined;
}

/** Nothing of an answer is shown: whatever its layout, it may hold logins. */
function unusable(reason: string): InvalidResponseError {
	return new InvalidResponseError(reason, '');
}

/** The proxies of one answer, in any of its formats. Throws InvalidResponseError when there is no list. */
export function readProxyList(
	{ data, plainText }: ExtractionAnswer,
	{
		parameters: { sep = '1' },
		extras,
		login,
	}: {
		readonly parameters: FlatParameters;
		readonly extras: readonly ExtraName[];
		readonly login?: string;
	},
) {
	// Where each has a login, the area of the proxy stands behind it
	const hasArea = login === 'entries';
	const list = plainText === undefined ? listOf(data) : splitText(plainText, sep);
	if (list === undefined) throw unusable('contains no list of proxies');
	const proxies: ExtractedProxy[] = [];
	let [entries, beginsClearly] = [0, false];
	for (const entry of list) {
		if (typeof entry === 'string' && entry.trim() === '') continue;
		const proxy = typeof entry === 'string' ? readProxyEntry(entry, extras, hasArea) : undefined;
		if (proxy !== undefined) proxies.push(proxy);
		if (entries === 0) beginsClearly = proxy !== undefined && proxy.raw === undefined;
		entries += 1;
	}
	const isReadable = proxies.length === entries;
	return {
		proxies,
		/** The error for an entry that is not an address; undefined if all are. */
		unreadable: isReadable ? undefined : unusable('contains an entry that is not a proxy address'),
		// A text says nothing of success, and that of a gateway may name an address: a list begins with a proxy and what
		// was asked for with it, or consists mostly of proxies
		isList: plainText === undefined || beginsClearly || proxies.length > entries / 2,
	};
}
