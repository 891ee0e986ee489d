import { InvalidFieldError, secretFieldError } from '../../../shared/fields/field';
import { isEmpty, isRecord, ownValue } from '../../../shared/guards';
import { readProxyEntry } from '../../proxies/entries';

const ALLOWED =
	"Allowed: the URL of a proxy, an address such as 113.120.61.166:22989, or an object with either, such as an item of 'Proxy: Extract'.";

/** For an empty value, such as that of an item without a proxy. */
const CHECK_KEPT =
	"To check the proxies that this n8n keeps for reuse, put 'Proxy: Extract' with 'Reuse Proxies' in front of this node.";

function addressIn(text: string): string | undefined {
	const entry = text.split(',', 1)[0].trim();
	return readProxyEntry(entry, [])?.address;
}

/** The part after the scheme and the login, and before the path. */
function placeIn(text: string): string {
	const rest = text.trim().replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
	return rest.slice(rest.lastIndexOf('@') + 1).split(/[/?#]/, 1)[0];
}

/** A host, with a port or without: all else may be a login. */
const SHOWN = /^(?:[^\s:@]*|[^\s:@]*\.[^\s:@]*:\d*)$/;

/** An error that shows no login. */
function addressRefusal(fieldLabel: string, value: unknown): InvalidFieldError {
	if (isEmpty(value)) return new InvalidFieldError(fieldLabel, value, `${ALLOWED} ${CHECK_KEPT}`);
	if (typeof value === 'string') {
		const place = placeIn(value);
		if (!SHOWN.test(place)) return secretFieldError(fieldLabel, ALLOWED);
		return new InvalidFieldError(fieldLabel, place, ALLOWED);
	}
	const names = isRecord(value) ? Object.keys(value) : [];
	const isHolder = typeof value === 'object' && value !== null;
	return new InvalidFieldError(fieldLabel, isHolder ? names : value, ALLOWED);
}

/** The bare `host:port` of a proxy's URL or address; undefined where the value is neither. */
export function addressOfProxy(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	// The second try is for entries with the login behind the address
	return addressIn(placeIn(value)) ?? addressIn(value);
}

/** Reads the address from an object that holds either as well. Throws InvalidFieldError, which never shows a login. */
export function readProxyAddress(value: unknown, fieldLabel: string): string {
	const held = ownValue(value, 'address') ?? ownValue(value, 'proxyUrl');
	const address = addressOfProxy(isRecord(value) ? held : value);
	if (address !== undefined) return address;
	throw addressRefusal(fieldLabel, value);
}
