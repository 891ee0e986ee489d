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

it.each(Object.keys(CASES))('%s', async (responseFormat) => {
	const { path, fields, json, binary } = CASES[responseFormat];
	const run = await me.open([me.page(path)], { responseFormat, ...fields });
	expect(run.error).toBeUndefined();
	const [item] = run.items;
	expect(item.json).toMatchObject({ url: me.page(path), ...json });
	expect(contentOf(item)).toEqual(binary);
});
