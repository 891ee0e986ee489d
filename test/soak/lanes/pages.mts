import { readList, readString, at, excerpt } from '../../../harness/outsideData.mts';
import type { OrderName } from '../keys.mts';
import { expectCount, lane, several, type OpenLane, type Output } from '../lane.mts';

const PAGES_AT_A_TIME = 5;
const ATTEMPTS = 8;
/** Above the time that a page of the sandbox takes on a busy machine. */
const ATTEMPT_TIMEOUT_S = 5;

const OPEN = {
	resource: 'page',
	operation: 'open',
	url: '={{ $json.item.url }}#{{ $itemIndex }}',
	options: {
		maxAttempts: ATTEMPTS,
		pagesAtATime: PAGES_AT_A_TIME,
		attemptTimeout: ATTEMPT_TIMEOUT_S,
		simplify: false,
	},
};

/** Short, redirected, and in GBK. */
const PATHS = ['/article/1', '/redirect/2', '/charset/gbk?by=meta', '/article/2'];

/** A list over two pages, and what it lists. */
const CRAWLED = '/shop?each=5&items=10';
const CRAWLED_PAGES = 12;
const CRAWL = {
	...OPEN,
	operation: 'crawl',
	follow: { links: '*/shop/item/*\n*/shop?page=*' },
	options: { ...OPEN.options, maxDepth: 2 },
};

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

/** How many proxies robots.txt may take in one run: attempts at it don't come out. */
const MOST_FOR_RULES = 3;

const crawl: OpenLane = async (session) => {
	const { extractions } = session.sandbox;
	const { orderId } = session.orders.dpsCrawled;
	const tried = new Set<string>();
	let runs = 0;
	const open = lane({
		name: 'Page: Crawl, a list and its details',
		nodes: [
			[
				'dpsCrawled',
				{ ...CRAWL, product: 'DPS', options: { ...CRAWL.options, filters: { dedup: true } } },
			],
		],
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

function pages(
	key: OrderName,
	name: string,
	count: number,
	more: Readonly<Record<string, unknown>>,
): OpenLane {
	const tried = new Set<string>();
	return async (session) => {
		const url = (index: number) => `${session.pages}${PATHS[index % PATHS.length]}`;
		const open = lane({
			name: `Page: Open, ${name}`,
			nodes: [[key, { ...OPEN, ...more }]],
			items: several(count, (index) => ({ url: url(index) })),
			...(more.product === 'DPS' && { quotaOf: key, mostSpareShare: 0.02 }),
			rest(output) {
				const extracted = expectPages(output, count, tried);
				return { items: output.length, extracted };
			},
		});
		return await open(session);
	};
}

export const PAGE_LANES: readonly OpenLane[] = [
	// Else the service may hand out again what the order had, and count it
	pages('dpsPages', 'private proxies of which some are dead', 20, {
		product: 'DPS',
		options: { ...OPEN.options, filters: { dedup: true } },
	}),
	pages('tpsPages', 'tunnels', 10, { product: 'TPS' }),
	crawl,
];
