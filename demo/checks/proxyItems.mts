import { isIPv4 } from 'node:net';
import { at, excerpt, isRecord } from '../../harness/outsideData.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';

const FIELDS = 'proxyUrl,address,host,port,username,password,secondsLeft,expiresAt';
const HIGHEST_PORT = 65_535;

/** That an item is one private proxy, in every form that the next node may want. */
export function expectProxyItem(item: unknown): void {
	const json = at(item, 'json');
	if (!isRecord(json)) throw new Error(`an item has no json: ${excerpt(item)}`);
	const { proxyUrl, address, host, port, username, password, secondsLeft, expiresAt } = json;
	expectEqual(Object.keys(json).join(','), FIELDS, `the list of fields of ${excerpt(json)}`);
	expect(typeof host === 'string' && isIPv4(host), `'host' is ${excerpt(host)}`);
	expect(
		typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= HIGHEST_PORT,
		`'port' is ${excerpt(port)}`,
	);
	expectEqual(address, `${String(host)}:${String(port)}`, `'address'`);
	const login = [username, password].map((part) => encodeURIComponent(String(part))).join(':');
	expectEqual(proxyUrl, `http://${login}@${String(address)}`, `'proxyUrl'`);
	expect(
		typeof secondsLeft === 'number' && secondsLeft > 0,
		`'secondsLeft' is ${excerpt(secondsLeft)}`,
	);
	expect(Date.parse(String(expiresAt)) > 0, `'expiresAt' is ${excerpt(expiresAt)}`);
}

export function expectDistinctProxies(items: readonly unknown[]): void {
	const seen = new Set<unknown>();
	for (const item of items) {
		const address = at(item, 'json', 'address');
		expect(!seen.has(address), `${excerpt(address)} came more than once`);
		seen.add(address);
	}
}

/** That the page which answers with its visitor's address saw the proxy of each answer's own item. */
export function expectOwnProxies(proxies: readonly unknown[], answers: readonly unknown[]): void {
	expect(answers.length > 0, 'there are no answers');
	const used = new Set<number>();
	for (const answer of answers) {
		const index = sourceOf(answer);
		expect(!used.has(index), `two answers belong to item ${index}`);
		used.add(index);
		expectEqual(
			at(answer, 'json', 'address'),
			at(proxies, index, 'json', 'host'),
			`the address that the page saw for item ${index}`,
		);
	}
}

/** The index of the item that an answer was made from. */
function sourceOf(answer: unknown): number {
	const paired = at(answer, 'pairedItem');
	const index = at(paired, 'item') ?? at(paired, 0, 'item') ?? paired;
	if (typeof index === 'number') return index;
	throw new Error(`an answer is not linked to its item: ${excerpt(answer)}`);
}
