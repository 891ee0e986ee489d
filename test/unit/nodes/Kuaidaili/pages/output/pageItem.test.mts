import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import {
	refuseOverwriting,
	toPageItem,
} from '../../../../../../nodes/Kuaidaili/pages/output/pageItem.ts';
import type {
	PageField,
	PageRequest,
} from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import type { AttemptResult } from '../../../../../../nodes/Kuaidaili/pages/run/classifyAttempt.ts';
import type { PageResult } from '../../../../../../nodes/Kuaidaili/pages/run/pageResult.ts';
import { asError, wordsOf } from '../../../../../../nodes/shared/api/errors.ts';
import { pageRequest } from '../run/fakePages.mts';

const URL = 'http://site.example/page';

interface Came {
	readonly body?: string | Buffer;
	readonly type?: string;
	readonly status?: number;
	readonly error?: Error;
}

function resultOf({ body = '', type = 'text/html', status = 200, error }: Came): PageResult {
	const content = new PageContent(
		{
			...{ kind: 'answer', status, statusText: '', source: 'page' },
			headers: { 'content-type': type },
			body: Buffer.from(body),
		},
		URL,
	);
	return { url: URL, attempts: [ATTEMPT], outcome: 'opened', content, statusCode: status, error };
}

const ATTEMPT: AttemptResult = {
	outcome: 'opened',
	nextStep: 'end',
	message: '',
	advice: '',
	proxy: '10.0.0.1:8000',
	milliseconds: 7,
	statusCode: 200,
	reason: '',
	isConnected: true,
	isUnclear: false,
};

/** What comes out of a page: the item, or the error in words. */
async function itemOf(
	came: Came,
	changes: Partial<PageRequest> = {},
	input: INodeExecutionData = { json: {} },
	type = 'kuaidaili',
) {
	const prepareBinaryData = async (bytes: Buffer, fileName: string, mimeType: string) =>
		await Promise.resolve({ data: String(bytes), fileName, mimeType });
	const context = {
		helpers: { prepareBinaryData },
		getNode: () => ({ name: 'Kuaidaili', type }),
	} as unknown as IExecuteFunctions;
	const request = pageRequest({ address: 'site.example/page', ...changes });
	const item = toPageItem(context, { index: 0, request, input }, resultOf(came));
	return await item.catch((error: unknown) => wordsOf(asError(error)).join('. '));
}

async function recordsOf(...given: Parameters<typeof itemOf>): Promise<readonly IDataObject[]> {
	const item = await itemOf(...given);
	if (typeof item === 'string') throw new Error(item);
	return item.records;
}

function column(name: string, more: Partial<PageField> = {}): PageField {
	return { name, selector: name, take: 'text', attribute: '', all: false, ...more };
}

const JSON_TYPE = 'application/json';
const PICTURE = { body: Buffer.from('89504e470d0a1a0a00000000', 'hex'), type: 'image/png' };
const TITLE = { format: 'fields', fields: [column('h1')] } as const;
const ROWS = { format: 'fields', rowSelector: 'li', fields: [column('b')] } as const;
const opened = (more: IDataObject) => ({ url: 'site.example/page', ...more, pageStatus: 'opened' });

describe('a page comes out', () => {
	it.each<[string, Came, Partial<PageRequest>, readonly IDataObject[]]>([
		['as columns', { body: '<h1>A' }, TITLE, [opened({ h1: 'A' })]],
		[
			'as columns of nothing where it is empty and no HTML',
			{ type: JSON_TYPE },
			TITLE,
			[opened({ h1: null })],
		],
		[
			'as columns of nothing without a body',
			{ status: 204, body: '<h1>A' },
			TITLE,
			[opened({ h1: null })],
		],
		[
			'as rows',
			{ body: '<li><b>A<li><b>B' },
			ROWS,
			[opened({ b: 'A', row: 1 }), opened({ b: 'B', row: 2 })],
		],
		[
			'as rows of JSON that says it is HTML',
			{ body: '{"li":[{"b":1}]}' },
			ROWS,
			[opened({ b: 1, row: 1 })],
		],
		['as no row where it is empty and no HTML', { type: JSON_TYPE }, ROWS, []],
		['as no row without a body', { status: 204, body: '<li><b>A' }, ROWS, []],
		[
			'as rows with an address and a number of their own',
			{ body: '<li><i>/1</i><b>A' },
			{ ...ROWS, fields: [column('url', { selector: 'i' }), column('row', { selector: 'b' })] },
			[opened({ url: '/1', row: 'A' })],
		],
		[
			'as numbers of its language',
			{ body: '<html lang=de><h1>1.299' },
			{ format: 'fields', fields: [column('h1', { take: 'number' })] },
			[opened({ h1: 1299 })],
		],
		['as text', { body: '<p>x' }, { format: 'text' }, [opened({ data: '<p>x' })]],
		[
			'without a text where it failed',
			{ error: new Error('x') },
			{ format: 'text' },
			[{ url: 'site.example/page', data: '', pageStatus: 'not as wanted' }],
		],
		[
			'with links',
			{ body: '<a href=/1>x<a href=/2>y' },
			{ ...TITLE, includesLinks: true },
			[opened({ h1: null, pageLinks: 'http://site.example/1\nhttp://site.example/2' })],
		],
		[
			'without the links of XML',
			{ body: '<?xml version="1.0"?><a href="/1"/>', type: 'application/xml' },
			{ ...TITLE, includesLinks: true },
			[opened({ h1: null, pageLinks: '' })],
		],
		[
			'without the links of one that failed',
			{ body: '<a href=/1>x', error: new Error('x') },
			{ format: 'file', includesLinks: true },
			[{ url: 'site.example/page', pageStatus: 'not as wanted', pageLinks: '' }],
		],
	])('%s', async (_what, came, changes, records) => {
		expect(await recordsOf(came, changes)).toEqual(records);
	});

	it.each<[string, Came, Partial<PageRequest>, RegExp]>([
		[
			'text as columns',
			{ body: 'words', type: 'text/plain' },
			TITLE,
			/^The page is not HTML, .*\/page begins with: words\. Choose another 'Response Format'\.$/,
		],
		[
			'JSON as columns',
			{ body: ' [1]', type: JSON_TYPE },
			TITLE,
			/Set 'Response Format' to 'JSON'\.$/,
		],
		[
			'text as rows',
			{ body: 'words', type: 'text/plain' },
			ROWS,
			/^The page has no rows: it is not HTML, XML, or JSON\. .* begins with: words/,
		],
		[
			'HTML by a path of JSON',
			{ body: '<p>x' },
			{ ...ROWS, rowSelector: 'p', fields: [column('a', { selector: '$.b' })] },
			/^A selector of 'Fields' can't be read, and the page is not JSON\. .* Enter CSS selectors\.$/,
		],
		[
			'HTML as JSON',
			{ body: '<p>x' },
			{ format: 'json' },
			/^The page is not JSON\. .*Choose another 'Response Format', or tell by 'Retry If'/,
		],
		[
			'nothing as JSON',
			{ body: ' ' },
			{ format: 'json' },
			/^The page is not JSON\. http:\S+ is empty\. Choose/,
		],
	])('not: %s', async (_what, came, changes, words) => {
		expect(await itemOf(came, changes)).toMatch(words);
	});

	it.each<[PageRequest['format'], boolean]>([
		['autodetect', true],
		['fields', false],
		['file', true],
		['json', false],
		['markdown', false],
		['structuredData', false],
		['text', false],
	])('as %s where it is a picture: %s', async (format, isFile) => {
		const item = await itemOf(PICTURE, { format, fields: TITLE.fields });
		if (isFile) expect(item).toMatchObject({ binary: { data: { mimeType: 'image/png' } } });
		else if (format === 'json') expect(item).toMatch(/^The page is not JSON/);
		else expect(item).toMatch(/^The page is a file of type image\/png, which has no text/);
	});
});

describe('with everything that is known of it, a page', () => {
	const details = async (came: Came, changes: Partial<PageRequest> = {}) => {
		const [{ pageDetails }] = await recordsOf(came, { isSimplified: false, ...changes });
		return pageDetails;
	};
	const proxy = '10.0.0.1:8000';
	const known = {
		...{ url: URL, statusCode: 200, headers: { 'content-type': 'text/html' }, proxy },
		attempts: [{ proxy, outcome: 'opened', statusCode: 200, milliseconds: 7 }],
		outcome: 'opened',
	};

	it('has a title and links', async () => {
		const links = [{ url: 'http://site.example/1', text: 'x' }];
		const came = { body: '<title>A</title><a href=/1>x' };
		expect(await details(came, { includesLinks: true })).toEqual({ ...known, title: 'A', links });
	});

	it('has neither where it is not as wanted, with the reason', async () => {
		const came = { body: '<title>A</title><a href=/1>x', error: new Error('why') };
		const [outcome, error] = ['notAsWanted', 'why'];
		expect(await details(came, { includesLinks: true })).toEqual({ ...known, outcome, error });
	});
});

describe('an item keeps what it has', () => {
	const file = { data: 'eA==', mimeType: 'text/plain' };
	const earlier = { url: 'x', pageStatus: 'blocked' };

	it.each<[string, INodeExecutionData, Partial<PageRequest>, string[], string[] | undefined]>([
		[
			'beside a file',
			{ json: { data: 1 }, binary: { file } },
			{ format: 'file' },
			['data'],
			['file', 'data'],
		],
		[
			'but the page of before',
			{ json: { ...earlier, data: 1, pageLinks: '' }, binary: { data: file, file } },
			{ format: 'file', outputField: 'data' },
			[],
			['file', 'data'],
		],
		['but a failure', { json: { error: 1 } }, { format: 'text' }, ['data'], undefined],
	])('%s', async (_what, input, changes, names, files) => {
		const item = await itemOf({ body: 'x', type: 'text/plain' }, changes, input);
		if (typeof item === 'string') throw new Error(item);
		const own = Object.keys(item.records[0]).filter(
			(name) => !['url', 'pageStatus'].includes(name),
		);
		expect([own, item.binary && Object.keys(item.binary)]).toEqual([names, files]);
		expect(item.hint?.slice(0, 25)).toBe(
			'error' in input.json ? "The input's field 'error'" : undefined,
		);
	});

	it('and its file where the page becomes one of that name, unless it is that of before', async () => {
		const binary = { data: file };
		const refused = await itemOf(PICTURE, {}, { json: {}, binary });
		expect(refused).toMatch(/^The item already has binary data named 'data'/);
		const again = await itemOf(PICTURE, {}, { json: earlier, binary });
		expect(again).toMatchObject({ binary: { data: { mimeType: 'image/png' } } });
	});

	const text = { format: 'text' } as const;

	it.each<[string, INodeExecutionData, Partial<PageRequest>, RegExp | undefined]>([
		['a column without a value', { json: { h1: null } }, TITLE, /^'Name' can't be "h1"/],
		['a list that the page of before lacked', { json: { ...earlier, h1: [] } }, TITLE, undefined],
		['a list that the page of before had', { json: { ...earlier, h1: [1] } }, TITLE, /^'Name'/],
		['the address', { json: { url: 'x' } }, { ...TITLE, fields: [column('url')] }, undefined],
		[
			'the status of before without an address',
			{ json: { pageStatus: 'opened' } },
			text,
			/already has a field/,
		],
		['links of its own', { json: { pageLinks: '' } }, text, /already has a field 'pageLinks'/],
		['the text of before', { json: { ...earlier, data: 'x' } }, text, undefined],
		['a text', { json: { data: 'x' } }, text, /^'Output Field' can't be "data"/],
		['a text in the place of a file', { json: { data: 'x' } }, { format: 'file' }, undefined],
		[
			'a file',
			{ json: {}, binary: { data: file } },
			{ format: 'file' },
			/^'Output Field' can't be/,
		],
		['a file in the place of a text', { json: {}, binary: { data: file } }, text, undefined],
		['a text beside columns', { json: { data: 'x' } }, TITLE, undefined],
		[
			'nothing of a name that every object has',
			{ json: {}, binary: {} },
			{ ...text, outputField: 'constructor' },
			undefined,
		],
		[
			'a text beside structured data',
			{ json: { data: 'x' } },
			{ format: 'structuredData' },
			undefined,
		],
	])('%s', (_what, input, changes, words) => {
		const refuse = () => refuseOverwriting(input, pageRequest(changes));
		if (words === undefined) expect(refuse).not.toThrow();
		else expect(refuse).toThrow(words);
	});
});

describe('for a model, what comes out is text', () => {
	it.each<[string, Came, Partial<PageRequest>, RegExp | object]>([
		['of HTML as Markdown', { body: '<h1>A' }, {}, /^# A\s*$/],
		['of HTML as it is, where that is wanted', { body: '<h1>A' }, { format: 'text' }, /^<h1>A$/],
		['about an empty page', { type: 'text/plain' }, {}, /^The page is empty\.$/],
		[
			'about a file',
			PICTURE,
			{},
			/^The page is a file, which cannot be read here: page, image\/png, 12 bytes\.$/,
		],
		[
			'about a failure',
			{ error: new Error('Why') },
			{},
			/^The page was not opened\. Why\. Asking again right away/,
		],
	])('%s', async (_what, came, changes, data) => {
		const [record] = await recordsOf(came, changes, { json: {} }, 'kuaidailiTool');
		if (data instanceof RegExp) expect(record.data).toMatch(data);
		else expect(record.data).toEqual(data);
	});
});
