import type { FastifyInstance, FastifyReply } from 'fastify';
import { articleText, escaped, page } from './bodies.mts';

export const EXAMPLE_LIST: ReadonlyArray<readonly [path: string, what: string]> = [
	['/api/products', 'JSON, twelve products a page, with the address of the next page in "next"'],
	['/news', 'an article with a cookie banner, a menu, related posts, and a footer'],
	['/app', 'a page that a script builds from /app/data.json'],
];

const PRODUCTS = 30;
const EACH = 12;

interface Product {
	readonly id: number;
	readonly name: string;
	/** Missing where the price is only told on request. */
	readonly price?: number;
}

function productNumbered(id: number): Product {
	const name = `Lamp ${String(id).padStart(2, '0')}`;
	return id % 7 === 0 ? { id, name } : { id, name, price: 19 + id / 2 };
}

const ALL = Array.from({ length: PRODUCTS }, (_, index) => productNumbered(index + 1));

/** What people open pages for: an API with pages, an article with all that is around it, a page of a script. */
export function addExamplePages(app: FastifyInstance): void {
	app.get<{ Querystring: { page?: string } }>('/api/products', ({ query }) => {
		const number = Math.max(1, Math.floor(Number(query.page ?? 1)) || 1);
		const items = ALL.slice((number - 1) * EACH, number * EACH);
		const isLast = number * EACH >= PRODUCTS;
		return {
			page: number,
			total: PRODUCTS,
			items,
			next: isLast ? null : `/api/products?page=${number + 1}`,
		};
	});
	app.get('/news', (_request, reply) => html(reply, news()));
	app.get('/app', (_request, reply) => html(reply, scripted()));
	app.get('/app/data.json', () => ({ items: ALL.slice(0, EACH) }));
}

function html(reply: FastifyReply, body: string): FastifyReply {
	return reply.type('text/html; charset=utf-8').send(body);
}

const linksTo = (names: readonly string[]) =>
	names.map((name) => `<li><a href="/article/${escaped(name)}">${escaped(name)}</a></li>`).join('');

function news(): string {
	return page(
		'A new ferry for the island',
		`<div class="cookie-banner" role="dialog"><p>We use cookies to measure how our pages are read.</p><button>Accept all</button> <button>Settings</button></div>
<header><nav><ul>${linksTo(['Home', 'Politics', 'Sports', 'Weather'])}</ul></nav></header>
<main><article><h1>A new ferry for the island</h1><p class="byline">By Anna Lind, 12 May</p>
${articleText()}</article>
<aside><h2>Related posts</h2><ul>${linksTo(['Why the old ferry stopped', 'Ten walks along the coast'])}</ul></aside></main>
<footer><p>Imprint · Privacy · Printed on recycled paper</p></footer>`,
		'<meta charset="utf-8">',
	);
}

function scripted(): string {
	return page(
		'Lamps',
		`<div id="root">Loading…</div>
<script>
fetch('/app/data.json').then((answer) => answer.json()).then(({ items }) => {
	document.getElementById('root').innerHTML = items.map(({ name }) => '<h2>' + name + '</h2>').join('');
});
</script>`,
		'<meta charset="utf-8">',
	);
}
