import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shopPage } from './bodies.mts';

export const PRODUCT_LIST: ReadonlyArray<readonly [path: string, what: string]> = [
	['/shop/products', 'lists of twelve products, some without a price; ?page=2 to 3, ?count=12'],
	['/shop/prices', 'the same products as a table, with cells that span others'],
	[
		'/shop/products.json',
		'the same as JSON, with the address of the next page in next; ?origin=none without its host',
	],
	['/shop/products.xml', 'the same as a feed'],
	['/shop/stock', 'the same as a table with Chinese header cells'],
	['/shop/stock.json', 'the same as JSON with objects, lists, and an id'],
	['/shop/app', 'a page that only JavaScript fills, with its data as JSON'],
];

interface Product {
	readonly number: number;
	readonly name: string;
	/** Undefined where the shop shows none. */
	readonly price?: number;
	readonly isNew: boolean;
}

const KINDS = ['Kettle', 'Lamp', 'Rope', 'Basket', 'Ladder', 'Clock', 'Bench'];
const PAGES = 3;

function productsOn(page: number, count: number): Product[] {
	const numbers = Array.from({ length: count }, (_, index) => (page - 1) * count + index + 1);
	return numbers.map((number) => ({
		number,
		name: `${KINDS[number % KINDS.length]} ${number}`,
		...(number % 5 !== 2 && { price: number + 0.5 }),
		isNew: number % 4 === 0,
	}));
}

type List = FastifyRequest<{ Querystring: { page?: string; count?: string; origin?: string } }>;

function listOf({ query, protocol, host }: List) {
	const page = Number(query.page ?? 1);
	const products = productsOn(page, Number(query.count ?? 12));
	return { page, products: page <= PAGES ? products : [], origin: `${protocol}://${host}` };
}

const html = (reply: FastifyReply, body: string) =>
	reply.type('text/html; charset=utf-8').send(body);

function card({ number, name, price, isNew }: Product): string {
	return `<li class="product" data-id="${number}"><h3><a href="/shop/item/${number}">${name}</a></h3>
${price === undefined ? '<em>Ask for the price</em>' : `<b class="price">${price.toFixed(2)}</b>`}${isNew ? ' <i class="tag">new</i>' : ''}</li>`;
}

function tableRow({ number, name, price }: Product): string {
	return `<tr><td>${name}</td><td>${price?.toFixed(2) ?? ''}</td>${number % 2 === 1 ? `<td rowspan="2">shelf ${Math.ceil(number / 2)}</td>` : ''}</tr>`;
}

/** A list as shops have them, in each form in which it may come. */
export function addProductRoutes(app: FastifyInstance): void {
	app.get('/shop/products', (request: List, reply) => {
		const { page, products } = listOf(request);
		const next = page < PAGES ? `<a class="next" rel="next" href="?page=${page + 1}">Next</a>` : '';
		return html(
			reply,
			shopPage(`Products, page ${page}`, `<ul>${products.map(card).join('\n')}</ul>\n${next}`),
		);
	});
	app.get('/shop/prices', (request: List, reply) => {
		const head = '<tr><th>Name</th><th>Price</th><th>Place</th></tr>';
		const rows = listOf(request).products.map(tableRow).join('\n');
		return html(reply, shopPage('Prices', `<table><thead>${head}</thead>${rows}</table>`));
	});
	app.get('/shop/products.json', (request: List) => {
		const { page, products, origin } = listOf(request);
		const next = `/shop/products.json?page=${page + 1}`;
		const relative = request.query.origin === 'none' && `${next}&origin=none`;
		const written = page < PAGES ? relative || origin + next : null;
		return { code: 0, data: { items: products }, next: written };
	});
	app.get('/shop/products.xml', (request: List, reply) => {
		const { products, origin } = listOf(request);
		const items = products.map(
			({ number, name, price }) =>
				`<item><title><![CDATA[${name}]]></title><link>${origin}/shop/item/${number}</link>${price === undefined ? '<price/>' : `<price>${price.toFixed(2)}</price>`}</item>`,
		);
		return reply
			.type('application/rss+xml')
			.send(
				`<?xml version="1.0"?>\n<rss><channel><title>Products</title>${items.join('\n')}</channel></rss>`,
			);
	});
	app.get('/shop/stock', (request: List, reply) => {
		const rows = listOf(request).products.map(
			({ name, price }) =>
				`<tr><td>${name}</td><td class="product-price">${price?.toFixed(2) ?? ''}</td></tr>`,
		);
		const table = `<table><tr><th>名称</th><th>价格</th></tr>${rows.join('\n')}</table>`;
		return html(reply, shopPage('Stock', table));
	});
	app.get('/shop/stock.json', (request: List) => ({
		items: listOf(request).products.map(({ number, name, price, isNew }) => ({
			id: number,
			name,
			price: price ?? null,
			shop: number % 3 === 0 ? null : { name: `Shop ${number}`, place: { city: 'Hangzhou' } },
			tags: isNew ? ['new', 'red'] : [],
			offers: [{ price: number }],
		})),
	}));
	app.get('/shop/app', (request: List, reply) => {
		const data = JSON.stringify({ props: { products: listOf(request).products } });
		const feed = '<link rel="alternate" type="application/rss+xml" href="/shop/products.xml">';
		return html(
			reply,
			`<!DOCTYPE html>\n<html><head>${feed}<title>Shop</title></head><body><noscript>Please turn on JavaScript.</noscript><div id="root"></div>
<script id="__NEXT_DATA__" type="application/json">${data}</script><script src="/app.js"></script></body></html>`,
		);
	});
}
