/** A proxy as it is put out. Optional parts are there only when they were asked for and arrived. */
export type ExtractedProxy = {
	/** Fits the Proxy option of the HTTP Request node as it is. */
	proxyUrl: string;
	/** `host:port`, an IPv6 host in brackets. */
	address: string;
	/** Without the brackets of an IPv6 address. */
	host: string;
	port: number;
	region?: string;
	anonymity?: string;
	protocol?: string;
	responseTime?: string;
	/** The whole entry, when some of it could not be assigned without doubt. */
	raw?: string;
};

export type ExtraName = 'region' | 'anonymity' | 'protocol' | 'responseTime';

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

/** Nearly every entry is that and nothing else, so it is read without a further look. */
const IPV4_AND_PORT = new RegExp(String.raw`^((?:${OCTET}\.){3}${OCTET}):([1-9]\d{0,4})$`);

/** A name needs a letter and a dot: `status:503` and `12:30` are no proxies. */
const OTHER_ADDRESS =
	/^(\[[0-9a-fA-F:.]+\]|(?=[^:]*[A-Za-z])[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+):([1-9]\d{0,4})$/;

const LARGEST_PORT = 65_535;

/** A name of 253 characters, a colon and a port. A far longer text would overflow the stack of an expression. */
const LONGEST_ADDRESS = 259;

/** @returns undefined when the text is not an address and a port, and nothing else */
function readAddress(text: string): ExtractedProxy | undefined {
	if (text.length > LONGEST_ADDRESS) return undefined;
	const ipv4 = IPV4_AND_PORT.exec(text);
	const match = ipv4 ?? OTHER_ADDRESS.exec(text);
	if (match === null) return undefined;
	const host = match[1];
	const port = Number(match[2]);
	if (port > LARGEST_PORT) return undefined;
	const proxyUrl = `http://${text}`;
	if (ipv4 !== null) return { proxyUrl, address: text, host, port };
	// The proxyUrl has to be an address for the next node, too
	if (!URL.canParse(proxyUrl)) return undefined;
	return { proxyUrl, address: text, host: host.replace(/^\[|\]$/g, ''), port };
}

/** Whether an entry begins here: an address, at the end or before a comma. */
export function beginsWithAddress(text: string): boolean {
	return readAddress(text.split(',', 1)[0].trim()) !== undefined;
}

/**
 * Reads one entry: `ip:port`, then the requested values, separated by commas. Their wording is not
 * documented and may hold commas itself, so they are assigned only where exactly as many came as were
 * asked for; else the entry is left as `raw`.
 *
 * @param requested in the order of the values
 * @returns undefined when the entry does not begin with an address
 */
export function readProxyEntry(
	entry: string,
	requested: readonly ExtraName[],
): ExtractedProxy | undefined {
	// The usual entry holds the address alone; to take it apart first doubled the time that it takes
	const whole = requested.length === 0 ? readAddress(entry) : undefined;
	if (whole !== undefined) return whole;
	const [first, ...values] = entry.trim().split(',');
	const result = readAddress(first.trim());
	if (result === undefined) return undefined;
	while (values.length > requested.length && values.at(-1)?.trim() === '') values.pop();
	if (values.length !== requested.length) return { ...result, raw: entry.trim() };
	requested.forEach((name, position) => {
		result[name] = values[position].trim();
	});
	return result;
}
