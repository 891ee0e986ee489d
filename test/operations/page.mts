import assert from 'node:assert/strict';

import { byCode, LOGIN_ANSWER, orderAnswer, proxyAnswer } from './common.mts';
import type { Answer, Json, OperationCase, Path, ResourceRow } from './row.mts';
import type { OrderKind } from './world.mts';

const ORDER: Path = '/api/getorderinfo';
const LOGIN: Path = '/api/getproxyauthorization';
const PROXIES: Path = '/api/getproxy';

/** Nothing listens there, and nobody may come without a proxy: the rows are about the calls, not the page. */
const URL_OF_NOTHING = 'http://127.0.0.1:9/page';

interface Way extends Omit<OperationCase, 'order' | 'path' | 'calls' | 'fields' | 'answers'> {
	readonly fields?: Json;
	readonly options?: Json;
	readonly answer: Answer;
	/** Other calls than those for an order with a login. */
	readonly calls?: readonly Path[];
}

/** So that the page comes out of a run that opened none. */
const COMES_OUT = { onError: 'continueRegularOutput' } as const;

/** One attempt to open a page, which comes out with the reason why it was not opened. */
function ofProduct(
	product: string,
	order: OrderKind,
	path: Path,
	{ answer, fields, options, calls = [ORDER, LOGIN, path], ...way }: Way,
): OperationCase {
	const answers: Array<[Path, Answer]> = [
		[ORDER, orderAnswer(product)],
		[LOGIN, LOGIN_ANSWER],
		// What comes out is a page
		[path, { ...answer, shape: undefined }],
	];
	return {
		...way,
		order,
		path,
		calls,
		fields: {
			product,
			url: URL_OF_NOTHING,
			...fields,
			options: { maxAttempts: 1, attemptTimeout: 50, simplify: false, ...options },
		},
		answers: Object.fromEntries(answers.filter(([one]) => calls.includes(one))),
		prove({ records: [record, ...others], request: { code } }) {
			assert.deepEqual(others, []);
			const details: unknown = record.pageDetails;
			assert.ok(typeof details === 'object' && details !== null);
			const { attempts, error } = details as { attempts: Json[]; error: string };
			if (code !== 0) {
				assert.deepEqual(attempts, []);
				assert.match(error, /^No proxy is available for this page/);
				return;
			}
			assert.equal(attempts.length, 1);
			assert.match(String(attempts[0].proxy), /^[^@]+:\d+$/);
			// What a proxy that runs says of a page that is not there
			assert.match(error, /could not be reached|answered with status 503/);
		},
	};
}

const SOME_OPTIONS = {
	allowUnauthorizedCerts: true,
	includeLinks: true,
	leaveOut: '.comments\n#menu',
	mainContent: true,
	maxPageSize: 5,
	pagesAtATime: 2,
	requestsPerSecond: 10,
	maxExtractionsPerRun: 3,
	simplify: false,
	skipOpened: true,
};

/** Of Page: Open alone. */
const NEXT_PAGES = { nextPage: 'a[rel=next]', maxNextPages: 5 };
const SENDING = {
	request: { values: { method: 'POST', bodyType: 'json', body: '{"page": 2}' } },
	sessionKey: 'anna',
	outputField: 'page',
};

const HEADERS = { values: [{ name: 'Referer', value: 'https://example.com/' }] };

const RETRY_IF = {
	statuses: '403,418',
	contains: 'captcha',
	lacks: '</html>',
	redirectedTo: '/verify',
};

const CASES: readonly OperationCase[] = [
	ofProduct('DPS', 'dpsPerIp', '/api/getdps', {
		what: 'through a private proxy',
		sent: { num: '1', f_et: '1', format: 'json' },
		answer: { ...proxyAnswer('127.4.5.6:22989,1200'), isUsedUp: true },
	}),
	ofProduct('DPS', 'dpsPerIp', '/api/getdps', {
		what: 'sending JSON, through a private proxy of some place',
		fields: { responseFormat: 'json' },
		options: {
			...SOME_OPTIONS,
			...SENDING,
			reuse: true,
			pagesPerProxy: 0,
			filters: { area: '浙江', areaEx: '杭州', carrier: 2, dedup: true },
			headers: HEADERS,
			retryIf: RETRY_IF,
		},
		sent: {
			num: '1',
			f_et: '1',
			format: 'json',
			area: '浙江',
			area_ex: '杭州',
			carrier: '2',
			dedup: '1',
		},
		answer: { ...proxyAnswer('127.4.5.6:22989,1200'), isUsedUp: true },
	}),
	ofProduct('OPS', 'opsVip', PROXIES, {
		what: 'sending a form, through an open proxy',
		fields: {
			plan: 'vip',
			responseFormat: 'text',
		},
		options: {
			request: { values: { method: 'POST', bodyType: 'form', body: 'a=b' } },
			filters: {
				anAn: true,
				anHa: true,
				anTr: true,
				area: '火星',
				areaEx: '台湾',
				carrier: 1,
				ipstart: '127.',
				ipstartEx: '113.',
				method: 2,
				port: '8080,3128',
				portEx: '80',
				protocol: 2,
				quality: 1,
			},
		},
		calls: [ORDER, PROXIES],
		code: 3,
		sent: {
			num: '100',
			format: 'json',
			an_an: '1',
			an_ha: '1',
			an_tr: '1',
			area: '火星',
			area_ex: '台湾',
			carrier: '1',
			ipstart: '127.',
			ipstart_ex: '113.',
			method: '2',
			port: '8080,3128',
			port_ex: '80',
			protocol: '2',
			quality: '1',
		},
		answer: proxyAnswer('127.4.5.6:22989'),
	}),
	ofProduct('KPS', 'kpsSeveral', '/api/getkps', {
		what: 'through a dedicated proxy',
		fields: {
			kpsBy: 'list',
			responseFormat: 'file',
		},
		sent: { num: '1000', format: 'json' },
		answer: proxyAnswer('127.4.5.6:22989'),
	}),
	ofProduct('KPS', 'kps', '/api/getkpsbyid', {
		what: 'through a dedicated proxy by its ID',
		arrange({ theOrder }) {
			assert.ok('machineIds' in theOrder);
			theOrder.machineIds[0] = 'lrps-49994';
		},
		fields: { kpsBy: 'id', fId: 'lrps-49994' },
		sent: { f_id: 'lrps-49994' },
		answer: { data: { ip: '127.4.5.6', port: '10272' } },
	}),
	ofProduct('TPS', 'tps', '/api/gettps', {
		what: 'through a tunnel',
		fields: { responseFormat: 'markdown' },
		options: NEXT_PAGES,
		sent: { num: '1', format: 'json' },
		answer: proxyAnswer('127.4.5.6:15818'),
	}),
	ofProduct('TPS_PRO', 'tpsPro', '/api/gettpspro', {
		what: 'through Tunnel Pro, from a region',
		options: { sessionMinutes: 1, region: 'NC', suffix: 'type-std' },
		sent: { num: '1', format: 'json' },
		answer: proxyAnswer('127.4.5.6:15818'),
	}),
	ofProduct('FPS', 'fps', '/api/getfps', {
		what: 'picking columns, through an overseas tunnel',
		fields: {
			responseFormat: 'fields',
			rowSelector: '.item',
			fields: {
				values: [
					{ name: 'title', selector: 'h1' },
					{ name: 'links', selector: 'a', take: 'attribute', attribute: 'href', all: true },
				],
			},
			connection: 'tunnel',
		},
		options: {
			region: byCode('US'),
			area: byCode('New York'),
			continent: 'nasa',
			sessionMinutes: 5,
		},
		sent: { region: 'US', format: 'json' },
		answer: proxyAnswer('127.4.5.6:18866'),
	}),
	ofProduct('FPS', 'fps', '/api/getfpsip', {
		what: 'through an overseas proxy',
		fields: { connection: 'extraction', period: 10 },
		options: { region: byCode('US,JP') },
		sent: { num: '1', period: '10', region: 'US,JP', format: 'json' },
		answer: { ...proxyAnswer('127.4.5.6:20001'), isUsedUp: true },
	}),
	ofProduct('SFPS', 'sfps', '/api/getsfps', {
		what: 'through an overseas static proxy',
		fields: { responseFormat: 'structuredData', rowSelector: 'Product' },
		calls: [ORDER, '/api/getsfps'],
		sent: { format: 'json' },
		answer: proxyAnswer('127.4.5.6:22989:user-a:password-a:US'),
	}),
];

/** What a crawl does not ask for. */
const ONLY_OF_OPEN = Object.keys({ ...NEXT_PAGES, ...SENDING });

const FROM_SITEMAP = {
	startFrom: 'sitemap',
	url: `${URL_OF_NOTHING}/sitemap.xml`,
	follow: {
		links: '*/detail/*\n*?page=*',
		except: 'https://example.com/*.pdf',
		selector: '.items a',
		sameSite: false,
	},
};

/** Options that only a crawl has. */
const OF_CRAWL = { maxDepth: 3, maxPages: 20, respectRobots: false };

function withoutThoseOfOpen(options: Json): Json {
	return Object.fromEntries(
		Object.entries(options).filter(([name]) => !ONLY_OF_OPEN.includes(name)),
	);
}

/** The same for a crawl; the second one tells it all that it can be told. */
function asCrawl({ what, fields = {}, ...theCase }: OperationCase, index: number): OperationCase {
	const { options = {}, ...others }: Json = fields;
	const isFull = index === 1;
	return {
		...theCase,
		what: what.replace(/^sending (?:a )?\w+, /, ''),
		fields: {
			...others,
			...(isFull && FROM_SITEMAP),
			options: { ...withoutThoseOfOpen(options as Json), ...(isFull && OF_CRAWL) },
		},
	};
}

export const page: ResourceRow = {
	resource: 'page',
	label: 'Page',
	opensWith: 'open',
	operations: [
		{
			operation: 'crawl',
			label: 'Crawl',
			action: 'Crawl pages through proxies',
			labels: ['Product', 'Order', 'URL', 'Start From', 'Follow', 'Response Format', 'Options'],
			key: 'order',
			path: '/api/getdps',
			settings: COMES_OUT,
			everyChoiceOf: ['startFrom'],
			cases: CASES.map(asCrawl),
		},
		{
			operation: 'open',
			label: 'Open',
			action: 'Open pages through proxies',
			labels: ['Product', 'Order', 'URL', 'Response Format', 'Options'],
			key: 'order',
			path: '/api/getdps',
			settings: COMES_OUT,
			everyChoiceOf: ['product', 'responseFormat'],
			cases: CASES,
		},
	],
	endpoints: [],
};
