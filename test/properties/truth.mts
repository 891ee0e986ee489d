import { isIPv4, isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import { isRecord } from '../../harness/outsideData.mts';
import type { Answer } from '../operations/index.mts';

type Json = Record<string, unknown>;

/** A number with more digits than JavaScript keeps comes out as a text with all of them. */
function isSame(out: unknown, said: unknown, body: string): boolean {
	if (isDeepStrictEqual(out, said)) return true;
	// What n8n saves has no number that is larger than all numbers
	if (said === Infinity || said === -Infinity) return out === null;
	const hasAllDigits = (digits: string) => /^-?\d{16,}$/.test(digits) && body.includes(digits);
	if (typeof said === 'number' && typeof out === 'string') {
		return hasAllDigits(out) || out === String(said);
	}
	if (Array.isArray(out) && Array.isArray(said)) {
		return out.length === said.length && out.every((one, index) => isSame(one, said[index], body));
	}
	if (isRecord(out) && isRecord(said)) {
		const names = Object.keys(out);
		return (
			isDeepStrictEqual(names.sort(), Object.keys(said).sort()) &&
			names.every((name) => isSame(out[name], said[name], body))
		);
	}
	return false;
}

/** The name under which a value of the service comes out; n8n takes `error` for a failure. */
function nameIn(said: Json, name: string): string {
	return name === 'service_error' && !Object.hasOwn(said, name) ? 'error' : name;
}

function expectSaid(item: Json, said: unknown, operation: Answer, body: string): void {
	const { added = [], heldBack = [] } = operation;
	if (!isRecord(said)) throw new Error(`An item came out of ${JSON.stringify(said)}`);
	for (const [name, value] of Object.entries(item)) {
		if (heldBack.includes(name)) throw new Error(`'${name}' came out`);
		const source = nameIn(said, name);
		if (added.includes(name)) continue;
		if (!Object.hasOwn(said, source) || !isSame(value, said[source], body)) {
			throw new Error(`'${name}' is ${JSON.stringify(value)}, which nobody said`);
		}
	}
}

/** Where a proxy is, whatever stands around it: a login before or behind, and values after a comma. */
function addressIn(entry: string): string {
	const [first] = entry.split(',');
	const text = first.trim();
	// A list has one proxy in each entry, so that what goes on in another line is none
	if (/[\r\n]/.test(text)) return text;
	const [before, behind] = [text.split('@')[0], text.split('@').at(-1) ?? ''];
	const place = /:\d+$/.test(behind) ? behind : before;
	return /^(\[[^\]]*\]|[^:]*):\d+/.exec(place)?.[0] ?? text;
}

/** With its login where it has one. */
function urlOf({ address, username, password }: Json): string {
	if (username === undefined) return `http://${String(address)}`;
	const login = [username, password].map((part) => encodeURIComponent(String(part))).join(':');
	return `http://${login}@${String(address)}`;
}

function isPlace(address: string): boolean {
	const [, six, name = '', port] = /^(?:\[([^\]]*)\]|([^:]*)):([1-9]\d{0,4})$/.exec(address) ?? [];
	if (port === undefined || Number(port) > 65_535) return false;
	if (six !== undefined) return isIPv6(six);
	return isIPv4(name) || (/[a-z]/i.test(name) && /^[\w-]+(\.[\w-]+)+$/.test(name));
}

/**
 * Each item begins with an entry of the list, and has nothing that is not in that entry. An entry that is no
 * proxy is an error; what the order paid for comes out all the same, and it is told.
 */
function expectProxies(
	items: readonly Json[],
	said: unknown,
	{ isUsedUp, lifeSeconds }: Answer,
	hints: readonly string[],
): void {
	const list: unknown = isRecord(said) ? said.proxy_list : undefined;
	if (list === '' && items.length === 0) return;
	if (!Array.isArray(list)) throw new Error(`Proxies came out of ${JSON.stringify(said)}`);
	const entries = list.filter((entry) => typeof entry !== 'string' || entry.trim() !== '');
	const left = new Map<string, string>();
	for (const entry of entries) {
		const address = typeof entry === 'string' ? addressIn(entry) : '';
		if (isPlace(address)) {
			if (!left.has(address)) left.set(address, String(entry));
		} else if (isUsedUp !== true || hints.length === 0) {
			throw new Error(`Nobody was told that ${JSON.stringify(entry)} is no proxy`);
		}
	}
	if (items.length !== left.size) {
		throw new Error(`${items.length} proxies came out of ${left.size} different entries`);
	}
	for (const item of items) {
		const entry = left.get(String(item.address));
		if (entry === undefined) throw new Error(`Nobody said ${String(item.address)}`);
		const { proxyUrl, address, host, port, username, password, expiresAt, ...extras } = item;
		const plain = String(host).includes(':') ? `[${String(host)}]` : String(host);
		const isWhole = address === `${plain}:${String(port)}` && proxyUrl === urlOf(item);
		if (
			!isWhole ||
			!new URL(String(proxyUrl)).host ||
			(username === undefined) !== (password === undefined)
		) {
			throw new Error(`Wrong: ${JSON.stringify(item)}`);
		}
		if (expiresAt !== undefined && Number.isNaN(Date.parse(String(expiresAt)))) {
			throw new Error(`${String(expiresAt)} is no moment`);
		}
		if (lifeSeconds !== undefined && extras.secondsLeft !== lifeSeconds) {
			throw new Error(`It lives ${String(extras.secondsLeft)} seconds, not ${lifeSeconds}`);
		}
		for (const [name, extra] of Object.entries(extras)) {
			if (name === 'secondsLeft' && lifeSeconds !== undefined) continue;
			const isText = typeof extra === (name === 'secondsLeft' ? 'number' : 'string');
			if (!isText || !entry.includes(String(extra))) {
				throw new Error(`Nobody said ${JSON.stringify(extra)}`);
			}
		}
	}
}

/** Each item is an entry of the map, or a text of the list, and all of them came out. */
function expectEntries(
	items: readonly Json[],
	said: ReadonlyArray<readonly unknown[]>,
	{ added = [] }: Answer,
): void {
	const sorted = (values: readonly unknown[]) => values.map(String).sort();
	const out = items.map((item) =>
		sorted(Object.keys(item).flatMap((name) => (added.includes(name) ? [] : [item[name]]))),
	);
	if (!isDeepStrictEqual(out, said.map(sorted))) {
		throw new Error(`${JSON.stringify(out)} came out of ${JSON.stringify(said)}`);
	}
}

/** The same map with the numbers as they were written that JavaScript can't hold. */
function withExactNumbers(data: object, body: string): Json {
	const exact = (name: string, value: unknown): unknown => {
		if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
		const written = body.slice(body.lastIndexOf(`${JSON.stringify(name)}:`));
		return /^"(?:[^"\\]|\\.)*":\s*(-?\d+)\b(?![.eE])/.exec(written)?.[1] ?? value;
	};
	return Object.fromEntries(
		Object.entries(data).map(([name, value]) => [name, exact(name, value)]),
	);
}

/**
 * Whether items hold nothing but what an answer in JSON said, and all of its entries.
 *
 * @param hints at the output
 * @throws Error that names what nobody said
 */
export function expectTruth(
	operation: Answer,
	items: readonly Json[],
	body: string,
	hints: readonly string[],
): void {
	const answer: unknown = JSON.parse(body);
	if (!isRecord(answer) || answer.code !== 0) throw new Error('Items came out of a failure');
	const { data } = answer;
	if (operation.shape === 'proxies') {
		expectProxies(items, data, operation, hints);
	} else if (operation.shape === 'list') {
		if (!Array.isArray(data)) throw new Error(`Items came out of ${JSON.stringify(data)}`);
		if (data.length !== items.length) {
			throw new Error(`${items.length} items came out of ${data.length} entries`);
		}
		const all: unknown[] = data;
		for (const item of items) {
			const mine = all.findIndex((entry) => {
				try {
					expectSaid(item, entry, operation, body);
					return true;
				} catch {
					return false;
				}
			});
			if (mine < 0) throw new Error(`Nobody said ${JSON.stringify(item)}`);
			all.splice(mine, 1);
		}
	} else if (operation.shape === 'texts') {
		if (!Array.isArray(data)) throw new Error(`Items came out of ${JSON.stringify(data)}`);
		expectEntries(
			items,
			data.map((text: unknown) => [text]),
			operation,
		);
	} else if (operation.shape === 'map') {
		const isEmptyList = Array.isArray(data) && data.length === 0;
		if (!isRecord(data) && !isEmptyList)
			throw new Error(`Items came out of ${JSON.stringify(data)}`);
		expectEntries(items, Object.entries(withExactNumbers(data, body)), operation);
	} else if (isRecord(data) && Array.isArray(data.ua_list)) {
		// Each text is an item, however few there are
		const said: unknown[] = data.ua_list;
		if (items.some(({ userAgent }) => !said.includes(userAgent))) throw new Error('Nobody said it');
	} else {
		// As an empty map may be written
		const isNothing = Array.isArray(data) && data.length === 0;
		if (items.length === 0 && isNothing) return;
		if (items.length === 0) throw new Error('Nothing came out');
		if (operation.shape !== 'object') return;
		if (items.length !== 1) throw new Error(`${items.length} items came out`);
		expectSaid(items[0], data, operation, body);
	}
	for (const { expiresAt, expire_time: time } of items) {
		if (expiresAt === undefined || operation.shape === 'proxies') continue;
		const isSameMoment =
			typeof time === 'string' && expiresAt === `${time.replace(' ', 'T')}+08:00`;
		if (!isSameMoment || Number.isNaN(Date.parse(String(expiresAt)))) {
			throw new Error(`${String(expiresAt)} is not ${String(time)}`);
		}
	}
}
