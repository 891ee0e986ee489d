import { at, excerpt, readList, readString } from '../../harness/outsideData.mts';
import {
	expectCount,
	expectEach,
	expectProxies,
	lane,
	several,
	type Lane,
	type OpenLane,
	type Output,
} from './lane.mts';
import type { SoakSession } from './session.mts';

const EXTRACT = { resource: 'proxy', operation: 'extract', num: '={{ $json.item.num }}' };

/** Few, so that all lanes come to rest soon when the memory is looked at. */
const OPEN_RUNS = several(10, () => ({ num: 20 }));

const REUSED = 20;
const reusedSoFar = new Set<string>();

const ORDERS = { resource: 'order', operation: 'getAll', status: 'VALID', limit: 3 };
const CALLS_PER_RUN = 2;

/** Between two orders; each of them is renewed once. */
const PURCHASE_EVERY_MS = 30_000;

const CREATE = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	prepayTimeNumber: 1,
	tpsPeriod: 0,
};
const RENEW = {
	resource: 'order',
	operation: 'renew',
	orderid: { __rl: true, mode: 'code', value: '={{ $json.item.orderid }}' },
	renewWhen: 'expiring',
	expiringWithin: 3,
	expiringWithinUnit: 'days',
	renewalOf: 'prepaid',
	timeType: 'MONTH',
	timeNumber: 1,
};

const OPEN = {
	resource: 'page',
	operation: 'open',
	product: 'DPS',
	url: '={{ $json.item.url }}#{{ $itemIndex }}',
	options: {
		maxAttempts: 8,
		pagesAtATime: 5,
		// Above the time that a page of the sandbox takes on a busy machine
		attemptTimeout: 5,
		simplify: false,
		// Else the service may hand out again what the order had, and count it
		filters: { dedup: true },
	},
};

/** Short, redirected, and in GBK. */
const PATHS = ['/article/1', '/redirect/2', '/charset/gbk?by=meta', '/article/2'];
const PAGES = 20;

/** A list over two pages, and what it lists. */
const CRAWLED = '/shop?each=5&items=10';
const CRAWLED_PAGES = 12;
const CRAWL = {
	...OPEN,
	operation: 'crawl',
	follow: { links: '*/shop/item/*\n*/shop?page=*' },
	options: { ...OPEN.options, maxDepth: 2 },
};

/** How many proxies robots.txt may take in one run: attempts at it don't come out. */
const MOST_FOR_RULES = 3;

/** Every page comes out opened. @returns how many proxies were tried for the first time */
function expectPages(output: Output, count: number, tried: Set<string>): number {
	expectCount(output, count);
	const before = tried.size;
	for (const record of output) {
		if (at(record, 'pageDetails', 'statusCode') !== 200 || readString(record, 'data') === '') {
			throw new Error(`a page was not opened: ${excerpt(record)}`);
		}
		for (const attempt of readList(record.pageDetails, 'attempts')) {
			const proxy = readString(attempt, 'proxy');
			if (!/^[\w.]+:\d+$/.test(proxy)) throw new Error('an attempt names more than an address');
			tried.add(proxy);
		}
	}
	return tried.size - before;
}

const pages: OpenLane = async (session) => {
	const tried = new Set<string>();
	const url = (index: number) => `${session.pages}${PATHS[index % PATHS.length]}`;
	const open = lane({
		name: 'Page: Open, private proxies of which some are dead',
		nodes: [['dpsPages', OPEN]],
		items: several(PAGES, (index) => ({ url: url(index) })),
		quotaOf: 'dpsPages',
		mostSpareShare: 0.02,
		rest: (output) => ({ items: PAGES, extracted: expectPages(output, PAGES, tried) }),
	});
	return await open(session);
};

const crawl: OpenLane = async (session) => {
	const { extractions } = session.sandbox;
	const { orderId } = session.orders.dpsCrawled;
	const tried = new Set<string>();
	let runs = 0;
	const open = lane({
		name: 'Page: Crawl, a list and its details',
		nodes: [['dpsCrawled', CRAWL]],
		items: [{ url: `${session.pages}${CRAWLED}` }],
		rest(output) {
			expectPages(output, CRAWLED_PAGES, tried);
			const addresses = new Set(output.map((record) => readString(record, 'url')));
			if (addresses.size !== CRAWLED_PAGES) throw new Error('a page came out twice');
			runs += 1;
			const counted = extractions.total({ orderId });
			const most = tried.size + runs * MOST_FOR_RULES;
			if (counted > most) throw new Error(`${counted} proxies were counted, ${most} at most used`);
			return { items: output.length };
		},
	});
	return await open(session);
};

/** What keeps something in the process: paces, tokens, proxies, pages at work, and purchases. */
const LANES: readonly OpenLane[] = [
	lane({
		name: 'Proxy: Extract, open proxies at the maximum rate',
		nodes: [
			[
				'openSvip',
				{ ...EXTRACT, product: 'OPS', plan: 'svip', options: { extraFields: { fLoc: true } } },
			],
		],
		items: OPEN_RUNS,
		pauseMs: 0,
		rest: (output) => ({ items: expectProxies(output, 200).length }),
	}),
	lane({
		name: 'Proxy: Extract, private proxies that are reused',
		nodes: [
			[
				'dpsReused',
				{
					...EXTRACT,
					product: 'DPS',
					// Else the service may hand out again what the order still has, and count it
					options: { reuse: true, minimumSecondsLeft: 30, filters: { dedup: true } },
				},
			],
		],
		items: [{ num: REUSED }],
		quotaOf: 'dpsReused',
		rest(output) {
			const before = reusedSoFar.size;
			for (const address of expectProxies(output, REUSED)) reusedSoFar.add(address);
			return { items: REUSED, extracted: reusedSoFar.size - before };
		},
	}),
	pages,
	crawl,
	lane({
		name: 'Order: Get Many',
		nodes: [['account', ORDERS]],
		items: several(CALLS_PER_RUN, () => ({})),
		pauseMs: 0,
		rest: (output) => ({ items: expectCount(output, 3 * CALLS_PER_RUN) }),
	}),
	lane({
		name: 'Order: Create, Renew, and not renewed again',
		nodes: [
			['account', CREATE],
			['account', RENEW],
		],
		items: [{}],
		pauseMs: PURCHASE_EVERY_MS,
		async rest([order], renew) {
			const orderid = readString(order, 'orderid');
			const renewed = await renew([{ orderid }]);
			const again = await renew([{ orderid }]);
			expectEach([...renewed, ...again], 'orderid', orderid);
			expectEach(renewed, 'renewed', true);
			expectEach(again, 'renewed', false);
			return { items: 1 + expectCount([...renewed, ...again], 2), created: [orderid] };
		},
	}),
];

/** Mixed work with all key pairs. */
export async function openLanes(session: SoakSession): Promise<readonly Lane[]> {
	const lanes: Lane[] = [];
	for (const open of LANES) lanes.push(await open(session));
	return lanes;
}
