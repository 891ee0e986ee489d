import { isIPv4 } from 'node:net';
import { at, excerpt, isRecord } from '../outsideData.mts';
import { expect, expectEqual } from './expectations.mts';

const FIELDS = 'host,port,proxy,proxyUrl';
const HIGHEST_PORT = 65_535;

/** That an item is one proxy, in every form that the next node may want. */
export function expectProxyItem(item: unknown): void {
	const json = at(item, 'json');
	if (!isRecord(json)) throw new Error(`an item has no json: ${excerpt(item)}`);
	const { host, port, proxy, proxyUrl } = json;
	expectEqual(Object.keys(json).sort().join(','), FIELDS, `the list of fields of ${excerpt(json)}`);
	expect(typeof host === 'string' && isIPv4(host), `'host' is ${excerpt(host)}`);
	expect(
		typeof port === 'number' && Number.isInteger(port) && port > 0 && port <= HIGHEST_PORT,
		`'port' is ${excerpt(port)}`,
	);
	expectEqual(proxy, `${String(host)}:${String(port)}`, `'proxy'`);
	expectEqual(proxyUrl, `http://${String(proxy)}`, `'proxyUrl'`);
}

export function expectDistinctProxies(items: readonly unknown[]): void {
	const seen = new Set<unknown>();
	for (const item of items) {
		const proxy = at(item, 'json', 'proxy');
		expect(!seen.has(proxy), `${excerpt(proxy)} came more than once`);
		seen.add(proxy);
	}
}
