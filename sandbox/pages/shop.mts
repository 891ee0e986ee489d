import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pause } from '../http/outgoing.mts';
import { shopPage } from './bodies.mts';

export const SHOP_LIST: ReadonlyArray<readonly [path: string, what: string]> = [
	[
		'/shop',
		'lists of items; ?items=25 so many, ?each=10 on a page, ?ms=0 what each page takes, ?pager=numbers',
	],
	['/shop/item/1', 'an item, with its price and links to others'],
	['/shop/old/1', 'a redirect to an item'],
	['/shop/cart', 'what /robots.txt forbids'],
	['/sitemap.xml', 'an index of two sitemaps with the shop, which /robots.txt names'],
];

const ITEMS = 25;

interface Shopping {
	page?: string;
	items?: string;
	each?: string;
	ms?: string;
	pager?: string;
}

/** A shop with what a crawler meets: lists over several pages, details, redirects, robots.txt, and sitemaps. */
export function addShopRoutes(app: FastifyInstance, closing: AbortSignal): void {
	const shop = (url: string, show: (query: Shopping, item: number, rest: string) => string) =>
		app.get<{ Querystring: Shopping; Params: { item?: string } }>(
			url,
			async ({ query, params }, reply) => {
				const { page: _page, ...kept } = query;
				const rest = String(new URLSearchParams({ ...kept }));
				await pause(Number(query.ms ?? 0), closing);
				const item = Number(params.item ?? 0);
				if (item > Number(query.items ?? ITEMS)) reply.code(404);
				return html(reply, show(query, item, rest && `?${rest}`));
			},
		);
	shop('/shop', ({ page = '1', items = ITEMS, each = '10', pager }, _item, rest) => {
		const first = (Number(page) - 1) * Number(each) + 1;
		const last = Math.min(first + Number(each) - 1, Number(items));
		const numbers = Array.from({ length: Math.max(last - first + 1, 0) }, (_, n) => first + n);
		const next = `/shop?page=${Number(page) + 1}${rest.replace('?', '&')}`;
		return shopPage(
			`Items, page ${page}`,
			`<ul class="items">${numbers.map((n) => `<li>${link(`/shop/item/${n}${rest}`, `Item ${n}`)}</li>`).join('\n')}</ul>
${pager === undefined ? (last < Number(items) ? link(next, 'Next page', ' rel="next"') : '') : numberedPager(Number(page), Math.ceil(Number(items) / Number(each)), rest)} ${link('/shop/cart', 'Cart')}`,
		);
	});
	shop('/shop/item/:item', ({ items = ITEMS }, item, rest) =>
		shopPage(
			`Item ${item}`,
			`<p class="price">${item}.50</p>
${item < Number(items) ? link(`/shop/item/${item + 1}${rest}#price`, 'The next item') : ''}
${link(`/shop/old/${item}${rest}`, 'Link to this item')} ${link(`/shop${rest}`, 'All items')} ${link('/shop/cart', 'Cart')}`,
		),
	);
	shop('/shop/cart', () => shopPage('Cart', '<p>It is empty.</p>'));
	app.get<{ Params: { item: string } }>('/shop/old/:item', ({ params, url }, reply) =>
		reply.redirect(url.replace(/\/old\/\d+/, `/item/${params.item}`), 301),
	);
	addDirections(app);
}

/** ‹ 1 2 3 ›, of which the page that is shown and an arrow that leads nowhere are no links to others. */
function numberedPager(page: number, pages: number, rest: string): string {
	const to = (number: number) => `/shop?page=${number}${rest.replace('?', '&')}`;
	const arrow = (number: number, sign: string) =>
		number < 1 || number > pages
			? `<li class="disabled"><span>${sign}</span></li>`
			: `<li>${link(to(number), sign)}</li>`;
	const numbers = Array.from({ length: pages }, (_, index) =>
		index + 1 === page
			? `<li class="active"><span>${page}</span></li>`
			: `<li>${link(to(index + 1), String(index + 1))}</li>`,
	);
	return `<ul class="pagination">${arrow(page - 1, '‹')}${numbers.join('')}${arrow(page + 1, '›')}</ul>`;
}

function link(to: string, text: string, more = ''): string {
	return `<a href="${to.replaceAll('&', '&amp;')}"${more}>${text}</a>`;
}

function html(reply: FastifyReply, body: string): FastifyReply {
	return reply.type('text/html; charset=utf-8').send(body);
}

const originOf = ({ protocol, host }: FastifyRequest) => `${protocol}://${host}`;

function addDirections(app: FastifyInstance): void {
	app.get('/robots.txt', (request, reply) =>
		reply
			.type('text/plain')
			.send(`User-agent: *\nDisallow: /shop/cart\n\nSitemap: ${originOf(request)}/sitemap.xml\n`),
	);
	app.get('/sitemap.xml', (request, reply) => {
		const maps = ['/sitemap-items.xml.gz', '/sitemap-lists.txt'];
		const entries = maps.map((map) => `<sitemap><loc>${originOf(request)}${map}</loc></sitemap>`);
		return reply
			.type('application/xml')
			.send(`<?xml version="1.0"?>\n<sitemapindex>${entries.join('\n')}</sitemapindex>`);
	});
	app.get('/sitemap-items.xml.gz', (request, reply) => {
		const entries = Array.from(
			{ length: ITEMS },
			(_, index) => `<url><loc>${originOf(request)}/shop/item/${index + 1}</loc></url>`,
		);
		return reply.type('application/gzip').send(gzipSync(`<urlset>${entries.join('\n')}</urlset>`));
	});
	app.get('/sitemap-lists.txt', (request, reply) =>
		reply.type('text/plain').send(`${originOf(request)}/shop\n${originOf(request)}/shop/cart\n`),
	);
}
