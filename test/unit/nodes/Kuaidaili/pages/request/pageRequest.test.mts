import { InvalidFieldError } from '../../../../../../nodes/shared/fields/field.ts';
import { readPageRequests } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { itemWith, requestOf } from '../run/fakePages.mts';
import { expectInProportion } from '../../../../support/growth.mts';

const LONG = 'x'.repeat(2000);

async function readAll(fields: Readonly<Record<string, unknown>>, options = {}) {
	return await readPageRequests(itemWith(fields, options));
}

function read(fields: Readonly<Record<string, unknown>> = {}, options = {}) {
	return requestOf(itemWith(fields, options));
}

function refusal(fields: Readonly<Record<string, unknown>>, options = {}): string {
	try {
		const { urlError } = read(fields, options);
		if (urlError !== undefined) throw urlError;
	} catch (error) {
		if (error instanceof InvalidFieldError) return `${error.message}. ${error.description}`;
		throw error;
	}
	return 'accepted';
}

it('a page that only has an address has the presets of all the rest', () => {
	expect(read()).toEqual({
		address: 'https://example.com/list?page=2',
		url: 'https://example.com/list?page=2',
		method: 'GET',
		headers: {},
		body: undefined,
		maxBytes: 10_000_000,
		attemptTimeoutMs: 15_000,
		maxAttempts: 3,
		pagesAtATime: 5,
		pagesPerProxy: 1,
		ignoresCertificates: false,
		retryIf: {
			statuses: new Set([403, 405, 412, 418, 429, 461, 471, 500, 502, 503, 504, 521, 567]),
			contains: [],
			lacks: [],
			redirectedTo: undefined,
		},
		product: 'DPS',
		sessionKey: undefined,
		format: 'autodetect',
		fields: [],
		rowSelector: undefined,
		mainContentOnly: false,
		leaveOut: [],
		nextPage: undefined,
		maxNextPages: 10,
		isSimplified: true,
		includesLinks: false,
		outputField: 'data',
		requestsPerSecond: undefined,
		skipOpened: false,
	});
});

describe('an address is refused', () => {
	it.each<[string, unknown, RegExp]>([
		['that is empty', '', /^'URL' is empty.*full address.*Enter one, or several with one per line/],
		[
			'that an expression did not find',
			undefined,
			/^'URL' is empty.*drag the column of the input.*found nothing for this item/,
		],
		['of another scheme', 'ftp://example.com/', /full address of a page/],
		['without a host', 'https:///x', /full address of a page/],
		['with a port that is none', 'https://example.com:99999/', /^'URL' can't be .*full address of/],
		['with a login', 'https://me:secret@example.com/', /Put it into 'Headers'/],
		['with a name to log in', 'https://me@example.com/', /Put it into 'Headers'/],
		['with a password alone', 'https://:secret@example.com/', /Put it into 'Headers'/],
		['that is a list', [], /^'URL' can't be \[\]/],
		['that is an object', { href: 'https://example.com' }, /(?:is empty|can't be)/],
		['that is a number', 12, /(?:is empty|can't be)/],
		[
			'that is a search phrase',
			'red shoes',
			/^'URL' is text, not an address: red shoes\. .*To search a site/,
		],
		...['/list?page=2', '../a', '?page=2', 'detail/12', 'list.html'].map(
			(path): [string, string, RegExp] => [
				'without a site',
				path,
				/^'URL' is an address without a site: \S+\. .*Put the site in front of it, as in \{\{/,
			],
		),
		...['http://me:secret@1.2.3.4:80', '1.2.3.4:80:me:secret', 'socks5://1.2.3.4:80'].map(
			(proxy): [string, string, RegExp] => [
				'of a proxy',
				proxy,
				/^'URL' is the address of a proxy\. .*takes proxies for it by itself\.$/,
			],
		),
	])('%s', (_what, url, text) => {
		expect(refusal({ url })).toMatch(text);
	});
});

describe('several addresses', () => {
	const urlsOf = async (url: unknown) => {
		const requests = await readAll({ url });
		return requests.map(({ url: href, address, urlError }) =>
			urlError === undefined ? [address, href] : urlError.message,
		);
	};

	it('are a list, or a text with one per line', async () => {
		const both = [
			['https://a.example', 'https://a.example/'],
			['http://b.example/1', 'http://b.example/1'],
		];
		expect(await urlsOf(['https://a.example', 'http://b.example/1'])).toEqual(both);
		expect(await urlsOf('\n https://a.example \r\n\r\nhttp://b.example/1')).toEqual(both);
		expect(await urlsOf(['https://a.example'])).toEqual([both[0]]);
		expect(await urlsOf('https://a.example\n')).toEqual([both[0]]);
	});

	it.each([
		['', 'is empty'],
		[' \n', 'is empty'],
		[undefined, 'is empty'],
		[[], "can't be []"],
	])('%j has none, which is refused', async (url, refusal) => {
		expect(await urlsOf(url)).toEqual([`'URL' ${refusal}`]);
	});

	it('are each refused for itself', async () => {
		expect(await urlsOf(['https://a.example', '/list', null])).toEqual([
			['https://a.example', 'https://a.example/'],
			"'URL' is an address without a site: /list",
			"'URL' is empty",
		]);
	});

	it.each<[string, string[]]>([
		['http://a.example/1 http://b.example/2', ['http://a.example/1', 'http://b.example/2']],
		['http://a.example/1, https://b.example', ['http://a.example/1', 'https://b.example/']],
		['http://a.example/1，https://b.example；', ['http://a.example/1', 'https://b.example/']],
		[
			'http://a.example/1,\nhttps://b.example/?n=2、\n',
			['http://a.example/1', 'https://b.example/?n=2'],
		],
		['http://a.example/?ids=1,2,', ['http://a.example/?ids=1,2,']],
		['http://a.example/?q=1,2 ,http://b.example', ['http://a.example/?q=1,2', 'http://b.example/']],
		['http://a.example/[7-7]', ['http://a.example/7']],
		['http://a.example/[1-3]', [1, 2, 3].map((page) => `http://a.example/${page}`)],
		[
			'http://a.example/p[08-10].html',
			['08', '09', '10'].map((p) => `http://a.example/p${p}.html`),
		],
		['http://a.example/?from=[0-20:10]', [0, 10, 20].map((n) => `http://a.example/?from=${n}`)],
		[
			'http://a.example/[1-2]/[1-2]',
			['1/1', '1/2', '2/1', '2/2'].map((path) => `http://a.example/${path}`),
		],
		[
			'http://a.example/[1-2]-[01-02][8-9]',
			['1-018', '1-019', '1-028', '1-029', '2-018', '2-019', '2-028', '2-029'].map(
				(path) => `http://a.example/${path}`,
			),
		],
		['http://[::1]:80/[7-7]\nhttp://b.example/x[0]', ['http://[::1]/7', 'http://b.example/x[0]']],
		['http://a.example/?ids=[1,2]&x={1}', ['http://a.example/?ids=[1,2]&x={1}']],
	])('are read of %j', async (typed, urls) => {
		const requests = await readAll({ url: typed });
		expect(requests.map(({ url }) => url)).toEqual(urls);
	});

	it.each([
		[
			'http://a.example/[20-1]',
			/^'URL' can't be "\[20-1\]"\. .*smaller number first, as in \[1-20\]/,
		],
		['http://a.example/[1-1001]', /^'URL' can't be .*Allowed: 1,000 addresses; these are 1,001/],
		['http://a.example/[1-100]/[1-100]', /^'URL' can't be .*these are 10,000/],
		['http://a.example/[1..20]', /^'URL' can't be "\[1\.\.20\]"\. .*Allowed: \[1-20\]\./],
		['http://a.example/[1-2]/[1 - 20]', /^'URL' can't be "\[1 - 20\]"\. .*Allowed: \[1-20\]\./],
		['http://a.example/[1–20]', /^'URL' can't be .*Allowed: \[1-20\]\./],
		['http://a.example/{1-20}', /^'URL' can't be .*Allowed: \[1-20\]\./],
		['http://a.example/[0-9:0]', /^'URL' can't be .*steps of 1 or more/],
		['http://a.example/1\n'.repeat(1001), /^'URL' can't be "1,001 addresses"\. .*list by an expr/],
	])('are refused where they are too many, or the wrong way round: %j', async (url, words) => {
		const refused: unknown = await readAll({ url }).catch((error: unknown) => error);
		if (!(refused instanceof InvalidFieldError)) throw new Error('It was accepted');
		const { message, description } = refused;
		expect(`${message}. ${description}`).toMatch(words);
	});

	it('of a list of 50,000 leave others their turn', async () => {
		const url = Array.from({ length: 50_000 }, (_, page) => `https://site.example/${page}`);
		let turns = 0;
		const timer = setInterval(() => (turns += 1), 1);
		expect(await readAll({ url })).toHaveLength(50_000);
		clearInterval(timer);
		expect(turns).toBeGreaterThan(2);
	});
});

it('reads an address as links write it that leave out their scheme', () => {
	expect(read({ url: '//shop.example/a' })).toMatchObject({ url: 'https://shop.example/a' });
});

it.each([
	['example.com/a', 'http://example.com/a'],
	['www.example.co.uk:8080?q=1', 'http://www.example.co.uk:8080/?q=1'],
	['例子.测试/列表', 'http://xn--fsqu00a.xn--0zwm56d/%E5%88%97%E8%A1%A8'],
])('an address that only lacks its scheme is taken: %s', (url, whole) => {
	expect(read({ url })).toMatchObject({ address: url, url: whole, isSchemeAdded: true });
});

it('an address is read in proportion to its length, whatever it is', async () => {
	const parts = [
		' ',
		',',
		'a',
		'a.',
		'1',
		'1.',
		'[1-',
		'[1-1]',
		':',
		'@',
		'/',
		'http://',
		'%',
		' a',
	];
	for (const part of parts) {
		await expectInProportion(250_000, async (size) => {
			const url = part.repeat(size / part.length);
			await readAll({ url }).catch(() => undefined);
			await readAll({ url: `http://x${url}x` }).catch(() => undefined);
		});
	}
});

it('an address in Chinese is taken', () => {
	expect(read({ url: 'https://例子.测试/列表?问=1' }).url).toBe(
		'https://xn--fsqu00a.xn--0zwm56d/%E5%88%97%E8%A1%A8?%E9%97%AE=1',
	);
});

describe("the row 'Method and Body'", () => {
	const first = async (options: object) => (await readAll({}, options))[0];

	it('says what is sent, with the presets of what it leaves out', async () => {
		const values = { method: 'POST', body: { a: 1 } };
		expect(await first({ request: { values } })).toMatchObject({ method: 'POST', body: 'a=1' });
		expect(await first({ request: {} })).toMatchObject({ method: 'GET', body: undefined });
	});

	it.each(['a=1', [1], { values: 'a=1' }])(
		'is refused where an expression made it %j',
		async (request) => {
			await expect(first({ request })).rejects.toThrow(/^'Method and Body' can't be/);
		},
	);
});

describe('what a POST sends', () => {
	const post = (bodyType: string, body: unknown) => read({ method: 'POST', bodyType, body });

	it.each<[string, string, unknown, string]>([
		[
			'JSON as it was typed',
			'json',
			'{ "id": 12345678901234567890 }',
			'{ "id": 12345678901234567890 }',
		],
		['JSON of an object', 'json', { a: [1, '中'] }, '{"a":[1,"中"]}'],
		['a form as it was typed', 'form', 'a=b&c=d', 'a=b&c=d'],
		['a form of an object', 'form', { a: 'x y', b: 2, c: ['1', true] }, 'a=x+y&b=2&c=1&c=true'],
		['a form of JSON as text', 'form', '{"a": "x y", "b": 2}', 'a=x+y&b=2'],
		['a form of rows', 'form', 'a=中\r\n b=x y', 'a=%E4%B8%AD&b=x+y'],
		['a form that was typed, encoded', 'form', 'a=中&b=x y\n', 'a=%E4%B8%AD&b=x+y'],
		['a form in GBK, encoded already', 'form', 'q=%D6%D0&b=x+y', 'q=%D6%D0&b=x+y'],
	])('is %s', (_what, bodyType, body, text) => {
		expect(post(bodyType, body).body).toBe(text);
	});

	it('says what it is', () => {
		expect(post('json', '{}').headers).toEqual({ 'Content-Type': 'application/json' });
		expect(post('form', 'a=b').headers).toEqual({
			'Content-Type': 'application/x-www-form-urlencoded',
		});
	});

	it.each(['json', 'form'])('is refused where an expression found nothing: %s', (bodyType) => {
		for (const body of [undefined, null]) {
			expect(refusal({ method: 'POST', bodyType, body })).toMatch(
				/^'Body' is empty.*found nothing/,
			);
		}
		expect(read({ method: 'GET', bodyType, body: undefined }).body).toBeUndefined();
	});

	it('may be nothing', () => {
		expect(post('json', '')).toMatchObject({ body: undefined, headers: {} });
	});

	it.each<[string, string, unknown, RegExp]>([
		['JSON that is none', 'json', '{a: 1}', /^'Body' holds .*Allowed: JSON/],
		['objects in a form', 'form', { a: { b: 1 } }, /'a' holds something else/],
		['objects of a long name', 'form', { [LONG]: {} }, /'x{60}…' holds something else/],
		['text that is no form', 'form', 'abc', /text such as a=b&c=d/],
		['a list of JSON as a form', 'form', '["a=b"]', /or text such as a=b&c=d/],
		['rows without a name', 'form', 'a=1\nand more', /or a=b on each line/],
		['a list as a form', 'form', [1], /an object, its JSON as text, or text such as a=b&c=d/],
	])('is not %s', (_what, bodyType, body, text) => {
		expect(refusal({ method: 'POST', bodyType, body })).toMatch(text);
	});

	it('is refused with another method, which would lose it', () => {
		expect(refusal({ method: 'GET', body: 'a=b' })).toMatch(
			/^'Body' holds something that cannot be used.*'Method' POST only/,
		);
	});
});

describe('headers', () => {
	const headers = (...values: unknown[]) => ({ headers: { values } });

	it('are taken as they were typed, the last one of a name', () => {
		const some = headers(
			{ name: 'Referer', value: 'https://a.example/' },
			{ name: ' X-Id ', value: 7 },
			{ name: 'referer', value: 'https://b.example/' },
			{ name: '', value: '' },
		);
		expect(read(some).headers).toEqual({ referer: 'https://b.example/', 'X-Id': '7' });
	});

	it.each<[string, unknown, RegExp]>([
		['the value in its name', { name: 'X: s3cret', value: '' }, /^'Headers' holds something/],
		['a line break', { name: 'X', value: 's3cret\r\nHost: b' }, /without line breaks/],
		['Chinese', { name: 'X', value: 's3cret 中' }, /Encode other letters/],
		['an object', { name: 'X', value: { s3cret: 1 } }, /^'Headers' holds something/],
		['what an expression did not find', { name: 'X', value: undefined }, /empty.*found nothing/],
		['what an expression found empty', { name: 'X', value: null }, /empty.*found nothing/],
		['the host', { name: 'Host', value: 'a' }, /sets this header by itself/],
		['the login of the proxy', { name: 'proxy-Authorization', value: 'a' }, /by itself/],
		['no object', 'X: s3cret', /a list of objects with name, value/],
	])('are refused with %s, and not repeated', (_what, header, text) => {
		expect(refusal(headers(header))).toMatch(text);
		expect(refusal(headers(header))).not.toContain('s3cret');
	});

	it('that are no list are refused', () => {
		expect(refusal({ headers: 'Referer: x' })).toMatch(/a list of objects with name, value/);
	});
});

it.each([undefined, null])(
	"'Session Key' is refused where an expression found %s",
	(sessionKey) => {
		expect(refusal({ sessionKey })).toMatch(/^'Session Key' is empty.*would belong to no session/);
	},
);

it.each([
	[0.5, 500],
	['2.5', 2500],
	[600, 600_000],
])('an attempt may take %s seconds', (attemptTimeout, ms) => {
	expect(read({}, { attemptTimeout }).attemptTimeoutMs).toBe(ms);
});

it("'Skip Opened Pages' is refused with 'Next Page', with the cure", () => {
	expect(() => read({}, { skipOpened: true, nextPage: '.next' })).toThrow(
		expect.objectContaining({
			message: "'Skip Opened Pages' doesn't go with 'Next Page'",
			text: expect.objectContaining({ description: expect.stringContaining('Remove Duplicates') }),
		}),
	);
	expect(read({}, { skipOpened: true }).skipOpened).toBe(true);
	expect(read({ method: 'POST', body: '{}' }, { skipOpened: true }).skipOpened).toBe(false);
});

describe('what counts as blocked', () => {
	const retryIf = (some: Readonly<Record<string, unknown>>) => read({ retryIf: some }).retryIf;

	it('is a text per line, in any case', () => {
		expect(retryIf({ contains: ' Captcha \n\n验证码 ', lacks: ['</HTML>'] })).toMatchObject({
			contains: ['captcha', '验证码'],
			lacks: ['</html>'],
		});
	});

	it('are statuses, the preset ones where none are named', () => {
		expect([...retryIf({ contains: 'x' }).statuses]).toEqual([
			403, 405, 412, 418, 429, 461, 471, 500, 502, 503, 504, 521, 567,
		]);
		expect([...retryIf({ statuses: '418, 456' }).statuses]).toEqual([418, 456]);
		expect([...retryIf({ statuses: '' }).statuses]).toEqual([]);
		expect([...retryIf({ statuses: 418 }).statuses]).toEqual([418]);
	});

	it.each([
		['statuses', 'Status Codes'],
		['contains', 'Contains'],
		['lacks', "Doesn't Contain"],
		['redirectedTo', 'Redirected To'],
	])('is refused where an expression found no %s', (name, label) => {
		for (const value of [undefined, null]) {
			const message = refusal({ retryIf: { [name]: value } });
			expect(message.startsWith(`'${label}' is empty`)).toBe(true);
			expect(message).toMatch(/remove it from 'Retry If'\. If the field is an expr/);
		}
		expect(refusal({ retryIf: { [name]: [{ text: 'x' }] } })).toContain(`'${label}'`);
	});

	it('is nothing where the editor left it empty', () => {
		const empty = { contains: '', lacks: ' ', redirectedTo: '' };
		expect(retryIf(empty)).toMatchObject({ contains: [], lacks: [], redirectedTo: undefined });
	});

	it('is refused where it is no status', () => {
		expect(refusal({ retryIf: { statuses: '4xx' } })).toMatch(/'Status Codes' can't be "4xx"/);
	});
});

it.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
	['Max Attempts', { maxAttempts: 11 }, {}],
	['Output Field', { outputField: 'a.b' }, {}],
	['Output Field', { outputField: 'error' }, {}],
	['Pages at a Time', {}, { pagesAtATime: '' }],
	['Requests per Second', {}, { requestsPerSecond: undefined }],
	['Attempt Timeout (Seconds)', {}, { attemptTimeout: 0.4 }],
	['Attempt Timeout (Seconds)', {}, { attemptTimeout: 601 }],
	['Attempt Timeout (Seconds)', {}, { attemptTimeout: 15_000 }],
	['Method', { method: 'HEAD' }, {}],
	['Body Type', { method: 'POST', bodyType: 'raw' }, {}],
])("'%s' is refused with %j %j", (label, fields, options) => {
	const message = refusal(fields, options);
	expect(message.slice(0, label.length + 2)).toBe(`'${label}'`);
	expect(message).toMatch(/^'[^']+' (?:is empty|can't be)/);
});

describe('columns', () => {
	const picking = (...values: unknown[]) =>
		({ responseFormat: 'fields', rowSelector: '', fields: { values } }) as const;
	const TITLE = { name: 'title', selector: 'h1' };

	it.each([
		['h1', 'h1'],
		['.product > .price', 'price'],
		['#main > li:nth-child(2) > .item-name:first-child', 'item_name'],
		['.product-price', 'product_price'],
		['.card__price--now', 'card__price__now'],
		['meta[name="description"]', 'meta'],
		['.__price', 'price'],
	])('are named after their selector %s where they have no name: %s', (selector, name) => {
		expect(read(picking({ selector })).fields.map((column) => column.name)).toEqual([name]);
	});

	it.each<[string, unknown[], RegExp]>([
		['no column', [], /^'Fields' is empty\. .*Add what to pick/],
		['a column as the editor adds it', [{}], /^'Fields' is empty/],
		['a name that is nowhere', [{ selector: '*' }], /^'Name' is empty\. .*Type one/],
		['a name that is not to be had', [{ selector: '.error' }], /^'Name' is empty\. .*Type one/],
		[
			'a name that an expression did not find',
			[{ ...TITLE, name: undefined }],
			/^'Name' is empty\. .*leave it empty/,
		],
		['the same selector twice', [{ selector: 'h1' }, { selector: 'a h1' }], /"h1"\. .*Two of/],
		['no selector', [{ name: 'title' }], /^'Selector' of 'title' is empty\. .*a CSS selector/],
		[
			'no attribute',
			[{ ...TITLE, take: 'attribute' }],
			/^'Attribute' of 'title' is empty\. .*the name of an attribute/,
		],
		[
			'a broken selector',
			[{ name: 'title', selector: 'a[href' }],
			/^'Selector' of 'title' can't be "a\[href"\. .*Attribute selector didn't terminate/,
		],
		[
			'XPath',
			[{ name: 'title', selector: '//h1' }],
			/^'Selector' of 'title' can't be "\/\/h1"\. .*XPath/,
		],
		['what other programs take', [{ ...TITLE, selector: 'h1::text' }], /'Take' says what to take/],
		['a name twice', [TITLE, TITLE], /^'Name' can't be "title"\. .*Two of/],
		['a name of n8n', [{ ...TITLE, name: 'error' }], /^'Name' can't be "error"\. .*not 'error'/],
	])('with %s are refused', (_what, values, text) => {
		expect(refusal(picking(...values))).toMatch(text);
	});
});

describe('rows', () => {
	const fields = (values: unknown[], rowSelector = '.product') =>
		({ responseFormat: 'fields', rowSelector, fields: { values } }) as const;

	it('may name their columns themselves, or be a column', () => {
		expect(read(fields([], 'tr'))).toMatchObject({ fields: [], rowSelector: 'tr' });
		const [column] = read(fields([{ name: 'all', selector: '' }])).fields;
		expect(column).toMatchObject({ name: 'all', selector: '' });
	});

	it.each(['data.items', 'list[0].rows', '.a > b', 'tr'])('are %s', (selector) => {
		expect(read(fields([], selector)).rowSelector).toBe(selector);
	});

	it.each([
		[fields([], '.a['), /^'Row Selector' can't be/],
		[fields([], ''), /^'Fields' is empty/],
		[fields([{ name: 'x', selector: '' }], ''), /^'Selector' of 'x' is empty.*'Row Selector'/],
	])('are refused where they are %j', (some, words) => {
		expect(refusal(some)).toMatch(words);
	});

	it('are none of another format', () => {
		const { rowSelector } = read({ ...fields([]), responseFormat: 'text' });
		expect(rowSelector).toBeUndefined();
	});
});

it('what is left out is a selector per line, each of which can be read', () => {
	expect(read({}, { leaveOut: ' .a\n\n#b ' }).leaveOut).toEqual(['.a', '#b']);
	expect(read({}, { leaveOut: ['.a', 'b'] }).leaveOut).toEqual(['.a', 'b']);
	expect(refusal({}, { leaveOut: '.a\n.b[' })).toMatch(/^'Leave Out' can't be.*wrong with \.b\[/s);
});

it('the next page is a selector or a path, ten times at most where nothing else is said', () => {
	const options = { nextPage: 'paging.next' };
	expect(read({}, options)).toMatchObject({ nextPage: 'paging.next', maxNextPages: 10 });
	expect(read({}, { nextPage: 'a[rel=next]', maxNextPages: 3 }).maxNextPages).toBe(3);
	expect(refusal({}, { nextPage: '' })).toMatch(/^'Next Page' is empty/);
});

it('output is simplified, and only the main content wanted, as was typed or as agents need it', () => {
	const forAgent = (options: object) => requestOf({ ...itemWith({}, options), isForAgent: true });
	const is = ({ isSimplified, mainContentOnly }: ReturnType<typeof read>) => [
		isSimplified,
		mainContentOnly,
	];
	const typed = { simplify: false, mainContent: false };
	expect(is(read({}, { simplify: false, mainContent: true }))).toEqual([false, true]);
	expect(is(read({}, typed))).toEqual([false, false]);
	expect(is(forAgent({}))).toEqual([true, true]);
	expect(is(forAgent(typed))).toEqual([true, false]);
});

it.each([
	['\u200bhttps://example.com/a\u2060', 'https://example.com/a'],
	['https://example.com/a。', 'https://example.com/a'],
	['https://example.com/a。后面的话', 'https://example.com/a'],
	['https://www。example。com/a。', 'https://www.example.com/a'],
	['https://example.com。See there', 'https://example.com'],
	['https://example.com/a）', 'https://example.com/a'],
	['https://example.com/a），', 'https://example.com/a'],
	['https://example.com/a 这是说明', 'https://example.com/a'],
	['https://example.com/s?q=红 鞋', 'https://example.com/s?q=红 鞋'],
	['https://zh.wikipedia.org/wiki/苹果（水果）', 'https://zh.wikipedia.org/wiki/苹果（水果）'],
])('an address is read without what stands around it: %j', async (typed, address) => {
	const [read] = await readAll({ url: typed });
	expect([read.address, read.urlError]).toEqual([address, undefined]);
});

it.each([
	['127.0.0.1:8080/p', "'URL' is an address without http:// or https://: 127.0.0.1:8080/p"],
	['localhost:3000', "'URL' is an address without http:// or https://: localhost:3000"],
	['127.0.0.1:8080', "'URL' is the address of a proxy"],
	['htps://example.com/a', "'URL' is an address with a mistyped scheme: htps://example.com/a"],
	['https;//example.com', "'URL' is an address with a mistyped scheme: https;//example.com"],
	['http:\\\\example.com', "'URL' is an address with a mistyped scheme: http:\\\\example.com"],
	['/list', "'URL' is an address without a site: /list"],
	['看看这个。', "'URL' is text, not an address: 看看这个。"],
])('a mistake in an address is named: %s', async (url, message) => {
	expect((await readAll({ url }))[0].urlError?.message).toBe(message);
});

it('a range without an end is an address that knows how it goes on', async () => {
	const [{ address, openRange }] = await readAll({
		url: 'https://example.com/[1-2]?page=[08-:2]&x',
	});
	expect(address).toBe('https://example.com/1?page=08&x');
	expect(openRange).toEqual({
		around: ['https://example.com/1?page=', '&x'],
		...{ number: 8, step: 2, width: 2 },
	});
	await expect(readAll({ url: 'https://example.com/[1-]/[1-]' })).rejects.toThrow();
	await expect(readAll({ url: 'https://example.com/[1-:0]' })).rejects.toThrow(
		/can't be "\[1-:0\]"/,
	);
});

it.each<[object, RegExp]>([
	[{ nextPage: '.next' }, /^'Next Page' doesn't go with a range without an end/],
	[{ skipOpened: true }, /^'Skip Opened Pages'/],
])('a range without an end is refused with %j', async (options, message) => {
	await expect(readAll({ url: 'https://example.com/[1-]' }, options)).rejects.toThrow(message);
});
