/** A proxy as it is put out. Optional parts are there only when they were asked for and arrived. */
export interface ExtractedProxy {
	/** `ip:port` */
	proxy: string;
	/** Without the brackets of an IPv6 address. */
	host: string;
	port: number;
	/** Fits the Proxy option of the HTTP Request node as it is. */
	proxyUrl: string;
	region?: string;
	anonymity?: string;
	protocol?: string;
	responseTime?: string;
	/** The whole entry, when some of it could not be assigned. */
	raw?: string;
}

/** The service's flags and the output names of what they add, in the order of the values in an entry. */
export const EXTRA_OUTPUT = [
	['f_loc', 'region'],
	['f_an', 'anonymity'],
	['f_pr', 'protocol'],
	['f_sp', 'responseTime'],
] as const;

export type ExtraName = (typeof EXTRA_OUTPUT)[number][1];

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const LARGEST_PORT = 65_535;

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

/** Before a port. Such a host is nearly every one, and needs no further look. */
const IPV4 = new RegExp(String.raw`^(?:${OCTET}\.){3}${OCTET}:`);

function readAddress(text: string): Pick<ExtractedProxy, 'host' | 'port'> | undefined {
	const match = ADDRESS.exec(text);
	if (match === null) return undefined;
	const [, host, digits] = match;
	const port = Number(digits);
	if (port < 1 || port > LARGEST_PORT) return undefined;
	// The proxyUrl has to be an address for the next node, too
	if (!IPV4.test(text) && !URL.canParse(`http://${text}`)) return undefined;
	return { host: host.startsWith('[') ? host.slice(1, -1) : host, port };
}

/** Whether an entry begins here: an address, at the end or before a comma. */
export function beginsWithAddress(text: string): boolean {
	return readAddress(text.split(',', 1)[0].trim()) !== undefined;
}

/**
 * Reads one entry: `ip:port`, then the requested values, separated by commas. Their number and their
 * wording are not documented, so nothing is guessed: what does not fit leaves `raw`.
 *
 * @param requested in the order of `EXTRA_OUTPUT`
 * @returns undefined when the entry does not begin with an address
 */
export function readProxyEntry(
	entry: string,
	requested: readonly ExtraName[],
): ExtractedProxy | undefined {
	const [first, ...values] = entry.trim().split(',');
	const proxy = first.trim();
	const address = readAddress(proxy);
	if (address === undefined) return undefined;

	const { host, port } = address;
	const result: ExtractedProxy = { proxy, host, port, proxyUrl: `http://${proxy}` };
	if (values.length === 0 && requested.length === 0) return result;
	while (values.length > requested.length && values.at(-1)?.trim() === '') values.pop();
	requested.forEach((name, position) => {
		const isLast = position === requested.length - 1;
		// A comma can only be told from a separator in the last value
		const value = isLast ? values.slice(position).join(',') : values[position];
		if (position < values.length) result[name] = value.trim();
	});
	const isAssigned =
		requested.length === 0 ? values.length === 0 : values.length >= requested.length;
	if (!isAssigned) result.raw = entry.trim();
	return result;
}
