import { at, readString } from '../../../harness/outsideData.mts';
import type { OrderName } from '../keys.mts';
import { expectCount, expectProxies, lane, several, type OpenLane, type Output } from '../lane.mts';
import { ReuseWatch } from '../reuseWatch.mts';

const EXTRACT = {
	resource: 'proxy',
	operation: 'extract',
	product: 'OPS',
	num: '={{ $json.item.num }}',
};

/** Few, so that all lanes come to rest soon when the memory is looked at. */
const OPEN_RUNS = several(10, () => ({ num: 20 }));
const TWO_OF_THREE = several(2, () => ({ num: 3 }));
const TWO = several(2, (id) => ({ id }));

const ITEMS_PER_PROXY = 2;
const MINIMUM_SECONDS_LEFT = 30;
const REUSED = 20;

/** Every proxy counts, and is handed out once. */
function counted(quotaOf: OrderName, name: string, more: Record<string, unknown>): OpenLane {
	return lane({
		name: `Proxy: Extract, ${name}`,
		nodes: [[quotaOf, { ...EXTRACT, ...more }]],
		items: TWO_OF_THREE,
		quotaOf,
		rest: (output) => ({ items: output.length, extracted: expectProxies(output, 6).length }),
	});
}

/** What an order has, however often it is asked for. */
function standing(
	key: OrderName,
	name: string,
	count: number,
	more: Record<string, unknown>,
): OpenLane {
	return lane({
		name: `Proxy: Extract, ${name}`,
		nodes: [[key, { ...EXTRACT, ...more }]],
		items: TWO_OF_THREE,
		rest: (output) => ({ items: expectProxies(output, count).length }),
	});
}

/** Each input item comes out again, and two of them share a proxy. @returns how many proxies there are */
function expectShared(output: Output, count: number): number {
	const urls = output.map((record) => readString(record, 'proxyUrl'));
	expectCount(output, count);
	if (output.some((record, index) => at(record, 'item', 'id') !== index)) {
		throw new Error('the items did not come out as they went in');
	}
	const proxies = new Set(urls).size;
	if (proxies !== count / ITEMS_PER_PROXY)
		throw new Error(`${count} items have ${proxies} proxies`);
	return proxies;
}

const reuse = new ReuseWatch(REUSED, MINIMUM_SECONDS_LEFT);

/** Of every product, in every way. */
export const EXTRACTION_LANES: readonly OpenLane[] = [
	lane({
		name: 'Proxy: Extract, open proxies at the maximum rate',
		nodes: [
			['openSvip', { ...EXTRACT, product: 'OPS', plan: 'svip', extraFields: { fLoc: true } }],
		],
		items: OPEN_RUNS,
		pauseMs: 0,
		rest: (output) => ({ items: expectProxies(output, 200).length }),
	}),
	counted('dpsEach', 'private proxies', { product: 'DPS', extraFields: { fLoc: true } }),
	lane({
		name: 'Proxy: Extract, private proxies for each input item',
		nodes: [
			[
				'dpsForEachInput',
				{
					...EXTRACT,
					product: 'DPS',
					output: 'forEachInput',
					itemsPerProxy: ITEMS_PER_PROXY,
				},
			],
		],
		items: several(10, (id) => ({ id })),
		quotaOf: 'dpsForEachInput',
		rest: (output) => ({ items: output.length, extracted: expectShared(output, 10) }),
	}),
	lane({
		name: 'Proxy: Extract, private proxies that are reused',
		nodes: [
			[
				'dpsReused',
				{
					...EXTRACT,
					product: 'DPS',
					reuse: true,
					minimumSecondsLeft: MINIMUM_SECONDS_LEFT,
					// Else the service may hand out again what the order still has, and count it
					filters: { dedup: true },
				},
			],
		],
		items: [{ num: REUSED }],
		quotaOf: 'dpsReused',
		rest(output) {
			expectProxies(output, REUSED);
			return { items: output.length, extracted: reuse.expectOnlyMissing(output, Date.now()) };
		},
	}),
	standing('kps', 'dedicated proxies', 6, { product: 'KPS', options: { sort: 1 } }),
	standing('tps', 'tunnels', 2, { product: 'TPS' }),
	lane({
		name: 'Proxy: Extract, Tunnel Pro with a session for each item',
		nodes: [
			['tpsPro', { ...EXTRACT, product: 'TPS_PRO', sessionPerItem: true, sessionMinutes: 1 }],
		],
		items: TWO,
		rest(output) {
			const items = expectProxies(output, 2).length;
			if (new Set(output.map(({ username }) => username)).size !== items) {
				throw new Error('two items have one session');
			}
			return { items };
		},
	}),
	standing('fps', 'overseas tunnels', 2, { product: 'FPS', connection: 'tunnel' }),
	counted('fpsExtracted', 'overseas dynamic proxies', {
		product: 'FPS',
		connection: 'extraction',
		period: 10,
	}),
	standing('sfps', 'overseas static proxies', 6, { product: 'SFPS' }),
];
