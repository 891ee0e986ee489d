import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PICTURE } from '../../../sandbox/pages/bodies.mts';
import { builtPackage } from '../support/builtPackage.mts';
import { usePages } from './pageOpener.mts';

/* Each response format, of a page that exists. */

const { me } = usePages();

const JSON_PAGE = { title: 'The harbor', boats: [{ name: 'Anna' }, { name: 'Möwe' }] };

interface FormatCase {
	readonly path: string;
	readonly fields?: IDataObject;
	/** What the page adds to its item. */
	readonly json: IDataObject;
	readonly binary?: Buffer;
}

const text = (...parts: readonly string[]) =>
	expect.stringMatching(new RegExp(parts.join('[^]*'))) as unknown as string;

const CASES: Readonly<Record<string, FormatCase>> = {
	autodetect: { path: '/json', json: { data: JSON_PAGE } },
	fields: {
		path: '/article',
		fields: {
			fields: {
				values: [
					{ name: 'title', selector: 'h1' },
					{ name: 'links', selector: 'nav a', take: 'attribute', attribute: 'href', all: true },
				],
			},
		},
		json: { title: 'The harbor', links: [text('/$'), text('/article$')] },
	},
	file: { path: '/picture', json: {}, binary: PICTURE },
	json: { path: '/json', json: { data: JSON_PAGE } },
	markdown: {
		path: '/article',
		json: {
			data: text(
				'# The harbor\n',
				'The harbor of the small town',
				'\\| First \\| 8:30 \\|',
				'Bread',
			),
		},
	},
	structuredData: { path: '/article', json: { title: 'The harbor', type: 'harbor', row: 1 } },
	text: {
		path: '/article',
		json: { data: text('^<!DOCTYPE html>', '<h1>The harbor</h1>', 'Salt &amp; pepper', '</html>') },
	},
};

const OFFERED = new builtPackage.Kuaidaili().description.properties
	.filter(({ name }) => name === 'responseFormat')
	.flatMap(({ options = [] }) => options.map((option) => 'value' in option && option.value));

it('each format that the node offers has a case', () => {
	expect([...new Set(OFFERED)].sort()).toEqual(Object.keys(CASES));
});

function contentOf({ binary }: INodeExecutionData): Buffer | undefined {
	return binary?.data === undefined ? undefined : Buffer.from(binary.data.data, 'base64');
}

it('structured data replaces fields of the input, and a page without any is told of', async () => {
	const urls = ['/article', '/shop/item/1', '/status/404'].map((path) => me.page(path));
	const run = await me.open(
		urls.map((url) => ({ url, type: 'mine' })),
		{ responseFormat: 'structuredData', options: {} },
	);
	expect(
		run.items.map(({ json }) => [json.type, json.pageStatus === 'opened', 'data' in json]),
	).toEqual([
		['harbor', true, false],
		['mine', false, false],
	]);
	const hints = run.hints.map(({ message }) => message).join('\n');
	expect(hints).toContain(`The page has 'type' as well, which replaced those of the input.`);
	expect(hints).toContain(
		`1 page without structured data of what they are about, such as ${urls[1]}.`,
	);
	const { items } = await me.open([urls[0]], {
		...{ responseFormat: 'structuredData', rowSelector: 'Offer' },
	});
	expect(items).toEqual([]);
});

it.each(Object.keys(CASES))('%s', async (responseFormat) => {
	const { path, fields, json, binary } = CASES[responseFormat];
	const run = await me.open([me.page(path)], { responseFormat, ...fields });
	expect(run.error).toBeUndefined();
	const [item] = run.items;
	expect(item.json).toMatchObject({ url: me.page(path), ...json });
	expect(contentOf(item)).toEqual(binary);
});
