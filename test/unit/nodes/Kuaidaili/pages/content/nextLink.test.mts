import { parseHtml } from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';
import { nextLinkOf } from '../../../../../../nodes/Kuaidaili/pages/content/nextLink.ts';

const URL = 'https://site.example/list?page=2';

async function nextOf(selector: string, html: string, url = URL) {
	const page = await parseHtml(html, url, async () => undefined);
	return await nextLinkOf(page, selector, url);
}

const shown = (url: string | undefined) => url?.replace('https://site.example', '');

/** Pagers of the kinds that sites have, each on its second page of several. */
const PAGERS: ReadonlyArray<readonly [kind: string, selector: string, html: string]> = [
	[
		'Bootstrap, with numbers and arrows that lead both ways',
		'ul.pagination',
		'<ul class="pagination"><li><a href="?page=1">‹</a></li><li><a href="?page=1">1</a></li><li class="active"><a href="?page=2">2</a></li><li><a href="?page=3">3</a></li><li><a href="?page=3">›</a></li></ul>',
	],
	[
		'WordPress archives: older posts follow',
		'.nav-links',
		'<div class="nav-links"><div class="nav-previous"><a href="?page=3"><span>←</span> Older posts</a></div><div class="nav-next"><a href="?page=1">Newer posts <span>→</span></a></div></div>',
	],
	[
		'WordPress archives in Spanish, whose name for older posts says before',
		'.nav-links',
		'<div class="nav-links"><div class="nav-previous"><a href="?page=3">Entradas anteriores</a></div><div class="nav-next"><a href="?page=1">Entradas siguientes</a></div></div>',
	],
	[
		'Ant Design, with pictures alone and a jump over five pages',
		'.ant-pagination',
		'<ul class="ant-pagination"><li class="ant-pagination-prev"><a href="?page=1"><span aria-label="left"><svg></svg></span></a></li><li class="ant-pagination-item ant-pagination-item-active"><a href="?page=2">2</a></li><li title="Next 5 Pages" class="ant-pagination-jump-next"><a href="?page=7">•••</a></li><li class="ant-pagination-item"><a href="?page=50">50</a></li><li class="ant-pagination-next" aria-disabled="false"><a href="?page=3"><span aria-label="right"><svg></svg></span></a></li></ul>',
	],
	[
		'numbers with a link that jumps over ten pages',
		'.p',
		'<p class="p"><a href="?page=1">1</a> <b>2</b> <a href="?page=3">3</a> <a href="?page=12">Next 10 pages</a></p>',
	],
	[
		'Discuz',
		'.pg',
		'<div class="pg"><a href="?page=1" class="prev">&nbsp;&nbsp;</a><a href="?page=1">1</a><strong>2</strong><a href="?page=3">3</a><a href="?page=240" class="last">... 240</a><label><input type="text" value="2"><span title="共 240 页"> / 240 页</span></label><a href="?page=3" class="nxt">下一页</a></div>',
	],
	[
		'numbers alone, all of them links',
		'#pages',
		'<p id="pages"><a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=3">3</a></p>',
	],
	[
		'numbers in brackets with a class of its own',
		'#pages',
		'<p id="pages"><a href="?page=1">[1]</a> <a class="pager-item--active" href="?page=2&amp;s=x">[2]</a> <a href="?page=3">[3]</a></p>',
	],
	[
		'下一页 among 首页 and 尾页',
		'.page',
		'<div class="page"><a href="?page=1">首页</a><a href="?page=1">上一页</a><a href="?page=3">下一页</a><a href="?page=99">尾页</a></div>',
	],
	[
		'previous and next in the head',
		'head',
		'<head><link rel="stylesheet" href="a.css"><link rel="prev" href="?page=1"><link rel="next" href="?page=3"></head>',
	],
	['Japanese', '.p', '<p class="p"><a href="?page=1">前へ</a><a href="?page=3">次へ &gt;</a></p>'],
	['Arabic', '.p', '<p class="p"><a href="?page=1">السابق</a><a href="?page=3">التالي</a></p>'],
	['Thai', '.p', '<p class="p"><a href="?page=1">ก่อนหน้า</a><a href="?page=3">ถัดไป »</a></p>'],
	[
		'Greek',
		'.p',
		'<p class="p"><a href="?page=1">Προηγούμενη</a><a href="?page=3">Επόμενη</a></p>',
	],
	[
		'numbers on the first page',
		'.p',
		'<p class="p">1 <a href="?page=3">2</a> <a href="?page=4">3</a></p>',
	],
	[
		'numbers, of which the present one is a link without an address',
		'.p',
		'<p class="p"><a href="?page=1">1</a><a class="active">2</a><a href="?page=3">3</a></p>',
	],
	[
		'names, of which the present one comes first',
		'.p',
		'<p class="p"><a aria-current="page" href="?page=2">A-F</a><a href="?page=3">G-M</a><a href="?page=4">N-Z</a></p>',
	],
	[
		'one link without a sign beside an empty one',
		'.p',
		'<p class="p"><span class="next"> </span><a href="?page=3">Onwards</a></p>',
	],
	[
		'a class around what is around it',
		'.p',
		'<ul class="p"><li><a href="?page=1"></a></li><li class="next"><span><a href="?page=3"></a></span></li></ul>',
	],
	[
		'a holder whose class tells of something else',
		'.p',
		'<div class="p disabled"><a href="?page=3">Next</a></div>',
	],
	[
		'a part with words whose class tells of something else',
		'.p',
		'<p class="p"><span class="disabled">You may go on: <a href="?page=3">Next</a></span></p>',
	],
	[
		'the lower one of two holders',
		'.p',
		'<p class="p"><b>2</b></p><p class="p"><a href="?page=3">Next</a></p><p class="p"><a href="?page=9">Next</a></p>',
	],
	[
		'the links themselves, with numbers elsewhere on the page',
		'.p a',
		'<i>4</i><i>5</i><p class="p"><a href="?page=1">1</a> 2 <a href="?page=3">3</a></p>',
	],
];

it.each(PAGERS)('the next page is found in %s', async (_kind, selector, html) => {
	const next = await nextOf(selector, html);
	expect(shown(next?.url)).toBe('/list?page=3');
	expect(next?.unclear).toBeUndefined();
});

it.each<[string, string]>([
	['a disabled link', '<a href="?page=1">Prev</a><a class="disabled" href="?page=3">Next</a>'],
	['a link that leads nowhere', '<a href="?page=1">1</a><a href="#">Next</a>'],
	['newer posts alone', '<a href="?page=1">Newer posts →</a>'],
	[
		'links to the first and the previous page',
		'<a href="?page=0">首页</a><a href="?page=1">上一页</a>',
	],
	['a link to mail', '<a href="?page=1">1</a><a href="mailto:next@site.example">Next</a>'],
	[
		'a link before that has the class of the next one',
		'<a class="next" href="?page=1">Newer posts</a>',
	],
	[
		'a disabled part around a link',
		'<a href="?page=1">Prev</a><span class="disabled">\n<a href="?page=3">Next</a><!-- x --></span>',
	],
	['numbers before the last one', '<a href="?page=0">1</a> <a href="?page=1">2</a> 3'],
	[
		'a part that the selector picks, too',
		'<i class="p"><a href="?page=1">1</a></i><b class="current">2</b>',
	],
	['a gap behind the present number', '<b class="current">2</b><a href="?page=9">9</a>'],
])('no page follows behind %s', async (_what, html) => {
	const next = await nextOf('.p', `<div class="p">${html}</div>`);
	expect(next).toBeDefined();
	expect([next?.url, next?.unclear]).toEqual([undefined, undefined]);
});

it('is unclear among links without a sign, which are told', async () => {
	const html = '<div class="p"><a href="?a=1">A</a><a href="?a=2">B</a><a href="?a=3"></a></div>';
	expect((await nextOf('.p', html))?.unclear).toEqual(['A', 'B', 'https://site.example/list?a=3']);
});

it('is unclear among two links, of which one has a word of the next page in its sentence', async () => {
	const names = ['What the town is going to build next, and when', 'Imprint'];
	const html = `<div class="p"><a href="/n/1">${names[0]}</a><a href="/n/2">${names[1]}</a></div>`;
	expect((await nextOf('.p', html))?.unclear).toEqual(names);
});

it('a link that is picked alone is meant, whatever its name', async () => {
	const html = '<a rel="prev" href="/613">&lt; Prev</a><p></p><a rel="prev" href="/613">Prev</a>';
	expect(shown((await nextOf('a[rel=prev]', html))?.url)).toBe('/613');
});

it('tells by which addresses the page is known', async () => {
	const html = `<link rel="icon" href="/i.png"><link rel="canonical" href="/list/2"><div class="p"><a href="?page=1">«</a><a class="active" href="?p=2">2</a>
		<a href="?page=3">›</a><a href="?page=9">last</a></div>`;
	const { own } = (await nextOf('.p', html)) ?? {};
	expect(own?.map(shown)).toEqual(['/list/2', '/list?p=2']);
});

it('is undefined where the selector picks nothing', async () => {
	expect(await nextOf('.p', '<a href="/2">next</a>')).toBeUndefined();
});
