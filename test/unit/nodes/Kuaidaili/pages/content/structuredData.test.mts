import { structuredRowsOf } from '../../../../../../nodes/Kuaidaili/pages/content/structuredData.ts';
import { expectInProportion } from '../../../../support/growth.mts';
import { pageOf, pause } from './pages.mts';

async function rowsOf(html: string, type = '') {
	const page = await pageOf(html, 'https://shop.example/p');
	const rows = await structuredRowsOf(page, type, new Set(['url', 'error']), pause);
	return rows.map((row) => Object.fromEntries(row));
}

const json = (value: unknown) =>
	`<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`;

it.each<[string, string, unknown[]]>([
	[
		'a product with its offer',
		json({
			'@context': 'https://schema.org',
			'@type': 'Product',
			'@id': '#product',
			name: 'Pen',
			url: 'https://shop.example/pen',
			offers: { '@type': 'Offer', price: 12.5, priceCurrency: 'CNY', url: '/pen?buy' },
		}),
		[
			{
				type: 'Product',
				name: 'Pen',
				entity_url: 'https://shop.example/pen',
				offers_price: 12.5,
				offers_priceCurrency: 'CNY',
				offers_url: '/pen?buy',
			},
		],
	],
	[
		'an article in a graph, with its author by ID, and neither site nor page',
		json({
			'@graph': [
				{ '@type': 'WebSite', name: 'News' },
				{ '@type': ['WebPage', 'CollectionPage'], name: 'Page' },
				{ '@type': 'NewsArticle', headline: 'Rain', author: { '@id': '#ann' } },
				{ '@type': 'Person', '@id': '#ann', name: 'Ann' },
				{ '@type': 'BreadcrumbList', itemListElement: [] },
			],
		}),
		[{ type: 'NewsArticle', headline: 'Rain', author_name: 'Ann' }],
	],
	[
		'a recipe with lists, which are texts in lines',
		json({
			'@type': 'Recipe',
			recipeIngredient: ['flour', 'water'],
			author: [{ name: 'Ann' }, { name: 'Bo' }],
			recipeYield: ['4', 4],
		}),
		[
			{
				type: 'Recipe',
				recipeIngredient: 'flour\nwater',
				author_name: 'Ann\nBo',
				recipeYield: '4\n4',
			},
		],
	],
	[
		'the elements of a list, as items or by themselves',
		json({
			'@type': 'CollectionPage',
			mainEntity: {
				'@type': 'ItemList',
				itemListElement: [
					{ '@type': 'ListItem', position: 1, item: { '@type': 'Product', name: 'Pen' } },
					{ '@type': 'ListItem', position: 2, url: 'https://shop.example/cup', name: 'Cup' },
				],
			},
		}),
		[
			{ type: 'Product', name: 'Pen' },
			{ type: 'ListItem', position: 2, entity_url: 'https://shop.example/cup', name: 'Cup' },
		],
	],
	[
		'the elements of a list by their IDs, their addresses, and their names',
		json({
			'@graph': [
				{
					'@type': 'ItemList',
					itemListElement: [
						{ '@type': 'ListItem', position: 1, item: { '@id': '#pen' } },
						{ '@id': '#cup' },
						'https://shop.example/bag',
						'Hat',
					],
				},
				{ '@type': 'Thing', '@id': '#pen', name: 'Pen' },
				{ '@type': 'Thing', '@id': '#cup', name: 'Cup' },
			],
		}),
		[
			{ type: 'Thing', name: 'Pen' },
			{ type: 'Thing', name: 'Cup' },
			{ entity_url: 'https://shop.example/bag' },
			{ name: 'Hat' },
		],
	],
	[
		'a graph of one, which is no list',
		json({ '@context': 'https://schema.org', '@graph': { '@type': 'Product', name: 'Pen' } }),
		[{ type: 'Product', name: 'Pen' }],
	],
	[
		'a product rather than the list of others beside it',
		json([
			{ '@type': 'ItemList', itemListElement: [{ item: { '@type': 'Product', name: 'Cup' } }] },
			{ '@type': 'Product', name: 'Pen' },
		]),
		[{ type: 'Product', name: 'Pen' }],
	],
	[
		'several scripts, of which one is broken',
		json('{"@type":"Product"') +
			json({ '@type': 'Event', name: 'Fair', startDate: '2026-12-01' }) +
			json({ '@type': 'MusicEvent', name: 'Song' }),
		[
			{ type: 'Event', name: 'Fair', startDate: '2026-12-01' },
			{ type: 'MusicEvent', name: 'Song' },
		],
	],
	[
		'JSON with comments and stray commas',
		json(
			'<!-- /* by hand */ {/**/"@type": "JobPosting", // the job\n "title": "Cook // chef", "x": ["a",,],\n} --> // the end',
		),
		[{ type: 'JobPosting', title: 'Cook // chef', x: 'a' }],
	],
	[
		'JSON with line ends in a text',
		json('{"@type":"Product","description":"one\ntwo\tthree"};'),
		[{ type: 'Product', description: 'one\ntwo\tthree' }],
	],
	[
		'JSON with line ends and quotes in texts of several lines',
		json(
			'\n,{\n"@type": "Product",\n"name": "\none \\"two\\"\n",\n"sku": 7// seven\n,"x": "\x01"\n}\n',
		),
		[{ type: 'Product', name: '\none "two"\n', sku: 7, x: ' ' }],
	],
	[
		'JSON in CDATA',
		json('//<![CDATA[\n{"@type":"Product","name":"Pen"}\n//]]>'),
		[{ type: 'Product', name: 'Pen' }],
	],
	[
		'JSON with commas behind nothing, blanks that JSON lacks, and a mark at its beginning',
		json(
			'\uFEFF{,"@type":\u00a0\u2028\u2029"Product", /* , */ "name": "a,]",,\u3000"x": [,"b" , "c",,],};',
		),
		[{ type: 'Product', name: 'a,]', x: 'b\nc' }],
	],
	[
		'numbers with more digits than JavaScript keeps',
		json('{"@type":"Product","productID":1005006123456789012,"price":12.50}'),
		[{ type: 'Product', productID: '1005006123456789012', price: 12.5 }],
	],
	[
		'lists in a list, and one that is all that a script holds',
		json([[{ '@type': 'Product', name: 'Pen' }], { '@type': 'Product', name: 'Cup' }]),
		[
			{ type: 'Product', name: 'Pen' },
			{ type: 'Product', name: 'Cup' },
		],
	],
	[
		'names with their vocabulary, and values with a language',
		json({
			'@type': 'https://schema.org/Product',
			'schema:name': { '@value': 'Pen', '@language': 'en' },
			'http://schema.org/sku': 7,
			'a.b-c': true,
		}),
		[{ type: 'Product', name: 'Pen', sku: 7, a_b_c: true }],
	],
	[
		'entities of other types where there are none of these',
		json([
			{ '@type': 'Organization', name: 'Shop' },
			{ '@type': 'Movie', name: 'Rain' },
		]),
		[{ type: 'Movie', name: 'Rain' }],
	],
	[
		'names that a column may not have',
		json({ '@type': 'Product', name: 'Pen', error: 'none', offers: { error: 1 } }),
		[{ type: 'Product', name: 'Pen', entity_error: 'none', offers_error: 1 }],
	],
	[
		'entities that name each other',
		json([
			{ '@type': 'Product', '@id': 'a', name: 'Pen', isRelatedTo: { '@id': 'b' } },
			{ '@type': 'Product', '@id': 'b', name: 'Cup', isRelatedTo: { '@id': 'a' } },
		]),
		[
			expect.objectContaining({ name: 'Pen', isRelatedTo_name: 'Cup' }),
			expect.objectContaining({ name: 'Cup', isRelatedTo_name: 'Pen' }),
		],
	],
	[
		'microdata',
		`<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Pen <b>14</b></h1>
			<img itemprop="image" src="/pen.jpg"><a itemprop="url" href="pen">more</a>
			<div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><span itemprop="price" content="12.50">12,50 元</span>
			<meta itemprop="priceCurrency" content="CNY"><link itemprop="availability" href="https://schema.org/InStock"></div>
			<time itemprop="releaseDate" datetime="2026-01-01">New Year</time></div>`,
		[
			{
				type: 'Product',
				name: 'Pen 14',
				image: 'https://shop.example/pen.jpg',
				entity_url: 'https://shop.example/pen',
				offers_price: '12.50',
				offers_priceCurrency: 'CNY',
				offers_availability: 'https://schema.org/InStock',
				releaseDate: '2026-01-01',
			},
		],
	],
	[
		'microdata of several, each with lists',
		['Pen', 'Cup']
			.map(
				(name) =>
					`<li itemscope itemtype="http://schema.org/Product"><b itemprop="name">${name}</b><i itemprop="color">red</i><i itemprop="color">blue</i>`,
			)
			.join(''),
		[
			{ type: 'Product', name: 'Pen', color: 'red\nblue' },
			{ type: 'Product', name: 'Cup', color: 'red\nblue' },
		],
	],
	[
		'microdata where JSON-LD is only about the site',
		`${json({ '@type': 'WebSite', name: 'Shop' })}<p itemscope itemtype="http://schema.org/Recipe"><b itemprop="name">Bread</b></p>`,
		[{ type: 'Recipe', name: 'Bread' }],
	],
	[
		'OpenGraph',
		`<title>Pen | Shop</title><meta property="og:type" content="product"><meta property="og:url" content="https://shop.example/pen">
			<meta property="product:price:amount" content="12"><meta property="og:image" content="/1.jpg"><meta property="og:image" content="/2.jpg"><meta name="viewport" content="x">`,
		[
			{
				type: 'product',
				title: 'Pen | Shop',
				entity_url: 'https://shop.example/pen',
				product_price_amount: '12',
				image: '/1.jpg\n/2.jpg',
			},
		],
	],
	[
		'a description without OpenGraph',
		'<title>Shop</title><meta name="Description" content="Pens &amp; cups"><meta name=author content="">',
		[{ title: 'Shop', description: 'Pens & cups' }],
	],
	[
		'what a page says that it is about, and no parts of that',
		json({
			'@type': 'WebPage',
			name: 'Page',
			mainEntity: {
				'@type': 'Product',
				name: 'Pen',
				isSimilarTo: { '@type': 'Product', name: 'Cup' },
			},
		}),
		[{ type: 'Product', name: 'Pen', isSimilarTo_name: 'Cup' }],
	],
	[
		'entities in entities by their IDs, as far as two of them',
		json([
			{ '@type': 'Product', name: 'Pen', brand: { '@id': 'b' }, image: { '@id': '/1.jpg' } },
			{ '@type': 'Thing', '@id': 'b', founder: { '@id': 'c' }, x: null, y: '' },
			{ '@type': 'Thing', '@id': 'c', spouse: { '@id': 'b' }, owns: { '@id': 'c', name: 'Own' } },
		]),
		[
			{
				type: 'Product',
				name: 'Pen',
				brand_founder_spouse: 'b',
				brand_founder_owns_name: 'Own',
				image: '/1.jpg',
			},
		],
	],
	[
		'the elements of a list, but what is none',
		json({
			'@type': 'ItemList',
			itemListElement: [
				5,
				{ position: 1, item: [{ '@type': 'Product', name: 'Pen' }] },
				{ position: 2, item: 'https://shop.example/cup' },
			],
		}),
		[
			{ type: 'Product', name: 'Pen' },
			{ position: 2, item: 'https://shop.example/cup' },
		],
	],
	[
		'the only element of a list',
		json({ '@type': 'ItemList', itemListElement: { '@type': 'Thing', name: 'Pen' } }),
		[{ type: 'Thing', name: 'Pen' }],
	],
	[
		'others than a list without elements',
		json([
			{ '@type': 'ItemList', itemListElement: [] },
			{ '@type': 'Movie', name: 'Rain' },
		]),
		[{ type: 'Movie', name: 'Rain' }],
	],
	[
		'microdata by the kind of its element',
		`<p itemprop="name">No</p><div itemscope itemtype="http://schema.org/Product"><a itemprop="name">Pen</a><data itemprop="sku" value="7">seven</data>
			<meter itemprop="rating" value="4">4 of 5</meter><data itemprop="model">M</data><meter itemprop="level">half</meter><meta itemprop="gtin"><object itemprop="file" data="/f"></object>
			<b itemprop="http://schema.org/color name" content="red">Red</b><span>no</span></div>`,
		[
			{
				type: 'Product',
				name: 'Pen\nred',
				sku: '7',
				rating: '4',
				model: 'M',
				level: 'half',
				file: 'https://shop.example/f',
				color: 'red',
			},
		],
	],
	[
		'microdata within another that it is no property of',
		'<div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Pen</b><div itemscope itemtype="http://schema.org/Product"><b itemprop="name">Cup</b></div></div>',
		[
			{ type: 'Product', name: 'Pen' },
			{ type: 'Product', name: 'Cup' },
		],
	],
	[
		'OpenGraph beside microdata without properties',
		`<title>Shop</title><p itemscope itemtype="http://schema.org/Product"></p><p property="og:title" content="No"></p>
			<meta property="og:title" content="Pen"><meta property="og:image" content="/1.jpg"><meta name="og:image" content="/1.jpg">`,
		[{ title: 'Pen', image: '/1.jpg' }],
	],
	[
		'no JSON that is not for search engines',
		'<script type="application/json">{"@type":"Product","name":"Pen"}</script><p type="application/ld+json">{"@type":"Product","name":"Pen"}</p>',
		[],
	],
	['no entity that has nothing but a type', json({ '@type': 'Product' }), []],
	['no page without any', '<title>Shop</title><meta name=viewport content=x><p>Words', []],
	['no JSON that is no entity', json('[1, "a", null, {"a": 1}]') + json(''), []],
])('rows of %s', async (_what, html, rows) => {
	expect(await rowsOf(html)).toEqual(rows);
});

it('rows of the type that is asked for, wherever it stands', async () => {
	const html =
		json({
			'@type': 'Product',
			offers: [
				{ '@type': 'Offer', price: 1 },
				{ '@type': 'offer', price: 2 },
			],
		}) + '<meta property="og:title" content="x">';
	expect(await rowsOf(html, 'Offer')).toEqual([
		{ type: 'Offer', price: 1 },
		{ type: 'offer', price: 2 },
	]);
	expect(await rowsOf(html, 'Event')).toEqual([]);
});

it('a row of large JSON with comments and line ends in its texts', async () => {
	const name = 'word\n'.repeat(25_000);
	const [row] = await rowsOf(
		json(`{"@type":"Product",/* */"name":"${name}","x":[${' 1 ,'.repeat(30_000)}],"sku":7}`),
	);
	expect([row.name, row.sku]).toEqual([name, 7]);
});

it('a row has at most 200 columns', async () => {
	const entity = Object.fromEntries(
		Array.from({ length: 500 }, (_, index) => [`p${index}`, index]),
	);
	const [row] = await rowsOf(json({ '@type': 'Product', ...entity }));
	expect(Object.keys(row)).toHaveLength(200);
});

it.each<[string, (size: number) => string]>([
	['JSON with quotes that nobody closes', (size) => json(`{"${'\\"'.repeat(size)}`)],
	['comments that nobody closes', (size) => json(`{${'/* '.repeat(size)}`)],
	['commas', (size) => json(`[${', '.repeat(size)}`)],
	['lists in lists', (size) => json(`${'['.repeat(size)}${']'.repeat(size)}`)],
	[
		'entities that name each other',
		(size) => {
			const names = Array.from({ length: size / 100 }, (_, index) => ({
				'@id': `#${index % 100}`,
			}));
			return json(names.map((_, index) => ({ '@id': `#${index}`, '@type': 'Product', x: names })));
		},
	],
	['properties of microdata', (size) => `<p itemscope>${'<i itemprop=a>b</i>'.repeat(size)}`],
])('takes time in proportion to a page of %s', async (_what, made) => {
	await expectInProportion(5000, async (size) => await rowsOf(made(size)));
});
