import { isDeepStrictEqual } from 'node:util';

import type { AnsweredOperation } from './answeredOperations.mts';

type Json = Record<string, unknown>;

function isRecord(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number with more digits than JavaScript keeps comes out as a text with all of them. */
function isSame(out: unknown, said: unknown, body: string): boolean {
	if (isDeepStrictEqual(out, said)) return true;
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

function expectSaid(item: Json, said: unknown, operation: AnsweredOperation, body: string): void {
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

/** Each item begins with an entry of the list, and has nothing that is not in that entry. */
function expectProxies(items: readonly Json[], said: unknown): void {
	const list: unknown = isRecord(said) ? said.proxy_list : undefined;
	if (list === '' && items.length === 0) return;
	if (!Array.isArray(list)) throw new Error(`Proxies came out of ${JSON.stringify(said)}`);
	const entries = list.filter((entry) => typeof entry !== 'string' || entry.trim() !== '');
	const left = new Map<string, string>();
	for (const entry of entries) {
		if (typeof entry !== 'string') throw new Error('A proxy came out of something that is no text');
		const address = entry.split(',')[0].trim();
		if (!left.has(address)) left.set(address, entry);
	}
	if (items.length !== left.size) {
		throw new Error(`${items.length} proxies came out of ${left.size} different entries`);
	}
	for (const item of items) {
		const entry = left.get(String(item.address));
		if (entry === undefined) throw new Error(`Nobody said ${String(item.address)}`);
		const { proxyUrl, address, host, port, ...extras } = item;
		const plain = String(host).includes(':') ? `[${String(host)}]` : String(host);
		const isWhole =
			address === `${plain}:${String(port)}` && proxyUrl === `http://${String(address)}`;
		if (!isWhole || !new URL(String(proxyUrl)).host)
			throw new Error(`Wrong: ${JSON.stringify(item)}`);
		for (const extra of Object.values(extras)) {
			if (typeof extra !== 'string' || !entry.includes(extra)) {
				throw new Error(`Nobody said ${JSON.stringify(extra)}`);
			}
		}
	}
}

/** Each item is an entry of the map, or a text of the list, and all of them came out. */
function expectEntries(
	items: readonly Json[],
	said: ReadonlyArray<readonly unknown[]>,
	{ added = [] }: AnsweredOperation,
): void {
	const sorted = (values: readonly unknown[]) => values.map(String).sort();
	const out = items.map((item) =>
		sorted(Object.keys(item).flatMap((name) => (added.includes(name) ? [] : [item[name]]))),
	);
	if (!isDeepStrictEqual(out, said.map(sorted))) {
		throw new Error(`${JSON.stringify(out)} came out of ${JSON.stringify(said)}`);
	}
}

/**
 * Whether items hold nothing but what an answer in JSON said, and all of its entries.
 *
 * @throws Error that names what nobody said
 */
export function expectTruth(
	operation: AnsweredOperation,
	items: readonly Json[],
	body: string,
): void {
	const answer: unknown = JSON.parse(body);
	if (!isRecord(answer) || answer.code !== 0) throw new Error('Items came out of a failure');
	const { data } = answer;
	if (operation.shape === 'proxies') {
		expectProxies(items, data);
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
		expectEntries(items, Object.entries(data), operation);
	} else if (isRecord(data) && Array.isArray(data.ua_list)) {
		// Each text is an item, however few there are
		const said: unknown[] = data.ua_list;
		if (items.some(({ userAgent }) => !said.includes(userAgent))) throw new Error('Nobody said it');
	} else {
		if (items.length !== 1) throw new Error(`${items.length} items came out`);
		if (operation.shape === 'object') expectSaid(items[0], data, operation, body);
	}
	for (const { expiresAt, expire_time: time } of items) {
		if (expiresAt === undefined) continue;
		const isSameMoment =
			typeof time === 'string' && expiresAt === `${time.replace(' ', 'T')}+08:00`;
		if (!isSameMoment || Number.isNaN(Date.parse(String(expiresAt)))) {
			throw new Error(`${String(expiresAt)} is not ${String(time)}`);
		}
	}
}
