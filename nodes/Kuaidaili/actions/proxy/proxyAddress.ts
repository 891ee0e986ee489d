import { InvalidFieldError } from '../../../shared/fields/invalidFieldError';
import { isRecord, ownValue } from '../../../shared/guards';
import { readProxyEntry } from '../../proxies/entries';

const ALLOWED =
	"Allowed: the URL of a proxy, an address such as 113.120.61.166:22989, or an object with either, such as an item of 'Proxy: Extract'.";

function addressIn(text: string): string | undefined {
	const entry = text.split(',', 1)[0].trim();
	return readProxyEntry(entry, [])?.address;
}

/** The part after the scheme and the login, and before the path. */
function placeIn(text: string): string {
	const rest = text.trim().replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
	return rest.slice(rest.lastIndexOf('@') + 1).split(/[/?#]/, 1)[0];
}

/** What a message may show of a value that cannot be used: never a login. */
function withoutLogin(value: unknown): unknown {
	if (typeof value === 'string') return placeIn(value);
	if (isRecord(value)) return Object.keys(value);
	return typeof value === 'object' && value !== null ? [] : value;
}

/** The bare `host:port` of a proxy's URL or address; undefined where the value is neither. */
export function addressOfProxy(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	// The second try is for entries with the login behind the address
	return addressIn(placeIn(value)) ?? addressIn(value);
}

/** The same from an object that holds either as well. Throws InvalidFieldError, which never shows a login. */
export function readProxyAddress(value: unknown, fieldLabel: string): string {
	const held = ownValue(value, 'address') ?? ownValue(value, 'proxyUrl');
	const address = addressOfProxy(isRecord(value) ? held : value);
	if (address !== undefined) return address;
	throw new InvalidFieldError(fieldLabel, withoutLogin(value ?? ''), ALLOWED);
}
