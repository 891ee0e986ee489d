import { innerHtml } from '../../../../../../nodes/shared/bundled/htmlTree.ts';
import { markdownOf } from '../../../../../../nodes/Kuaidaili/pages/content/markdown.ts';
import { LIST, pageOf, pause } from './pages.mts';
import { expectInProportion } from '../../../../support/growth.mts';

async function markdown(html: string, pausing = pause): Promise<string> {
	return await markdownOf(await pageOf(html), pausing);
}

it('has what a reader sees of a list of a shop', async () => {
	expect(await markdown(LIST)).toBe(`# 手机 - 数码商城

- [首页](https://shop.example/)
- [帮助](https://shop.example/mall/help#pay)

# 手机

- [![手机甲](https://img.example/1.jpg)](https://shop.example/mall/p/1.html) [手机甲 128G](https://shop.example/mall/p/1.html)**价格：1999.00**元
- [手机乙](https://shop.example/mall/p/2.html#reviews) **价格：899**元
- 手机丙

[下一页](https://shop.example/mall/?page=3) 顶部 [邮件](mailto:a@shop.example)`);
});

it.each([
	['headings', '<title>T</title><h1>T</h1><h2>Two<br>lines</h2><h6></h6>', '# T\n\n## Two lines'],
	['paragraphs and lines', '<p>a\n b<br><br/>c<p>d', 'a b\n\nc\n\nd'],
	[
		'lists in lists',
		'<ol start=3><li>a<ul><li>b<li>c</ul><li>d</ol>',
		'3. a\n   - b\n   - c\n4. d',
	],
	['a list that stands in a list', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
	[
		'a table',
		'<table><caption>Prices</caption><thead><tr><th>名称<th>价格</thead><tr><td>a | b<td>1<br>2<tr><td colspan=2>sum</table>',
		'Prices\n\n| 名称 | 价格 |\n| - | - |\n| a \\| b | 1 2 |\n| sum | |',
	],
	[
		'a layout made of tables',
		'<table><tr><td><h2>Menu</h2></td><td><table><tr><td>1<td>2<tr><td>3<td>4</table></td></tr></table>',
		'## Menu\n\n| 1 | 2 |\n| - | - |\n| 3 | 4 |',
	],
	[
		'code',
		'<p>Run <code>npm  i</code><pre><code class="language-js">if (a < b) {\n\tc();\n}</code></pre>',
		'Run `npm i`\n\n```js\nif (a < b) {\n\tc();\n}\n```',
	],
	['a quote and a line', '<blockquote>q<p>r</blockquote><hr>end', '> q\n>\n> r\n\n---\n\nend'],
	[
		'links around blocks',
		'<a href="/p"><div><p>Card</p><p>12元</p></div></a>',
		'[Card 12元](https://shop.example/p)',
	],
	[
		'links around a heading',
		'<a href="/p"><div><h3>Card</h3><p>12元</p></div></a>',
		'### [Card](https://shop.example/p)\n\n12元',
	],
	[
		'white space in a link around it',
		'<p>a<a href="/p"> b<br></a>c<a href="#x"> d </a>e',
		'a [b](https://shop.example/p) c d e',
	],
	[
		'a list of paragraphs, and one that goes on after a picture',
		'<ol><li><p>a<p>b</p><li><img src="/i.png">c<pre>d\ne</pre></ol>',
		'1. a\n\n   b\n2. ![](https://shop.example/i.png)c\n   ```\n   d\n   e\n   ```',
	],
	[
		'no scripts, styles, and hidden parts',
		'<style>p{}</style><noscript>n</noscript><p>a<span style="color:red; display: none">b</span><i hidden>c</i><script>d()</script><template>e</template>',
		'a',
	],
	['signs that would be Markdown', '<p>1. a * b [c] &lt;b>', '1\\. a \\* b \\[c] \\<b>'],
	[
		'addresses and names as they are',
		'<p>See https://a.example/b_c_d?e=1&f=2 and order_id, ok',
		'See https://a.example/b_c_d?e=1&f=2 and order_id, ok',
	],
	[
		'broken HTML',
		'</div><p>a<b>b<p>c</i><td>d<a href="x">e<',
		'a**b**\n\ncd[e<](https://shop.example/list/x)',
	],
	['no page', '', ''],
	[
		'items that something else than a list holds',
		'<ol><div><li>a<li>b</div><li>c</ol><ol><div><li>b<li>a</div></ol>',
		'1. a\n2. b\n3. c\n\n1. b\n2. a',
	],
	['quotes', '<p>He said <q>yes, <b>now</b></q>.', 'He said \u201Cyes, **now**\u201D.'],
	[
		'formulas once',
		'<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math>',
		'x',
	],
	['no markup of frames', '<noframes><p>old</noframes><p>new', 'new'],
	[
		'no logins of pictures',
		'<img src="https://u:secret@a.example/p.png" alt=P>',
		'![P](https://a.example/p.png)',
	],
	[
		'pictures by whatever address',
		'<img src="data:image/gif;base64,R0" data-src="photo?id=5"><img src="about:blank" data-img-url="https://cdn.example/x/1" alt=X><img src="about:blank" alt="none">',
		'![](https://shop.example/list/photo?id=5)![X](https://cdn.example/x/1) none',
	],
	[
		'tables whose rows are named by headings',
		'<table><tr><td> <h4>Name</h4><td>Ann<tr><td> <h4>Age</h4> <td>30</table>',
		'| Name | Ann |\n| - | - |\n| Age | 30 |',
	],
	[
		'code without the column of its numbers',
		'<pre><table><tr><td data-line=1></td><td>a</td></tr><tr><td></td><td> b</td></tr></table></pre>',
		'```\na\n b\n```',
	],
])('writes %s', async (_what, html, text) => {
	expect(await markdown(html)).toBe(text);
});

const WORD = 'word '.repeat(2000).trim();

describe('hidden parts', () => {
	it.each([
		['a body', '<body style="opacity:0;visibility:hidden"><p>words'],
		['a main part', '<nav>Menu of the site</nav><main style="display: none"><p>words</main>'],
		[
			'what holds most of the words',
			'<h1>T</h1><div><section STYLE="Display:None"><p>words <p>of the article</section></div>',
		],
		[
			'a visible part of a hidden one',
			'<p>One two three four</p><div style="visibility:hidden">no<b style="visibility:visible">words',
		],
		[
			'a hidden part in one that is shown',
			'<p>One</p><div hidden>two three<div style="visibility:collapse">words of the whole story</div></div>',
		],
	])('%s is shown until a script runs', async (_what, html) => {
		expect(await markdown(html)).toContain('words');
	});

	it.each([
		'<p>One two three</p><p style="display:none">words</p>',
		'<p>One two three</p><div style="visibility: hidden"><p>words<img src=words.jpg></p>words</div>',
		'<p>One two three</p><div hidden>words</div>',
		'<p>One two three</p><template><p>words</p></template>',
		'<p>One two three</p><div hidden>few<p hidden>words that are more than all of the rest</p></div>',
		'<p style="visibility:visible">One two three</p><p style="visibility:collapse">words</p>',
	])('%s has none of them', async (html) => {
		expect(await markdown(html)).toBe('One two three');
	});
});

it.each([
	[
		'cells that span rows',
		'<table><tr><th>Region<th>Item<th>Units<tr><td rowspan=2>East<td>Cable<td>12<tr><td>Hub<td>7<tr><td>West<td>Cable<td>3</table>',
		'| Region | Item | Units |\n| - | - | - |\n| East | Cable | 12 |\n| | Hub | 7 |\n| West | Cable | 3 |',
	],
	[
		'cells that span rows and columns, to the end of their group',
		'<table><thead><tr><th>A<th>B<th>C</thead><tbody><tr><td rowspan=0 colspan=2>x<td>1<tr><td>2<tbody><tr><td>3<td>4<td>5</table>',
		'| A | B | C |\n| - | - | - |\n| x | | 1 |\n| | | 2 |\n| 3 | 4 | 5 |',
	],
	[
		'head, body, and foot in the order of a browser',
		'<table><tfoot><tr><td>s<td>3</tfoot><tbody><tr><td>1<td>2</tbody><thead><tr><th>A<th>B</thead></table>',
		'| A | B |\n| - | - |\n| 1 | 2 |\n| s | 3 |',
	],
	[
		'a heading in a cell',
		'<table><tr><td>Name<td>Price<tr><td><h3>Pen</h3><td>3<tr><td>Cup<td>5</table>',
		'| Name | Price |\n| - | - |\n| Pen | 3 |\n| Cup | 5 |',
	],
	[
		'a table in a cell',
		'<table><tr><th>Name<th>Sizes<tr><td>Pen<td><table><tr><td>S<td>M</table><tr><td>Cup<td>5</table>',
		'| Name | Sizes |\n| - | - |\n| Pen | S M |\n| Cup | 5 |',
	],
	[
		'a cell that is very large',
		`<table><tr><td>Name<td>Text<tr><td>Pen<td>${WORD}<tr><td>Cup<td>5</table>`,
		`| Name | Text |\n| - | - |\n| Pen | ${WORD} |\n| Cup | 5 |`,
	],
	[
		'code whose lines are elements',
		'<pre><div>a {</div><div>  b</div>}</pre>',
		'```\na {\n  b\n}\n```',
	],
	['code in several elements', '<pre><code>a\n</code><code>  b</code></pre>', '```\na\n  b\n```'],
	[
		'code in items',
		'<pre class="lang-sh"><ol><li><code>a</code><li><code>b `c`</code></ol></pre>',
		'```sh\na\nb `c`\n```',
	],
	['code in rows', '<pre><table><tr><td>a<td>b<tr><td>c</table></pre>', '```\na b\nc\n```'],
	[
		'code of lines',
		'<pre><code><span class=line>a</span><span class=line>b</span></code></pre>',
		'```\na\nb\n```',
	],
	[
		'code within a sentence',
		'<pre>run <code>a</code> and <code>b</code></pre>',
		'```\nrun a and b\n```',
	],
	[
		'code with marks of code',
		'<pre>a\n```\nb</pre><code>`x`</code>',
		'````\na\n```\nb\n````\n\n`` `x` ``',
	],
	['numbers that are said', '<ol start=3><li>a<li value=7>b<li>c</ol>', '3. a\n7. b\n8. c'],
	[
		'numbers behind a large item',
		`<ol><li>a<li>${WORD}<p>p<li>c</ol>`,
		`1. a\n2. ${WORD}\n\n   p\n3. c`,
	],
	[
		'prices that are struck out',
		'<p><del>199</del> <ins>99</ins><p><s>50</s>40',
		'~~199~~ 99\n\n~~50~~40',
	],
	[
		'a style that strikes out',
		'<p><span style="text-decoration: line-through">9</span> 8',
		'~~9~~ 8',
	],
	[
		'boxes that are checked',
		'<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>',
		'- [x] a\n- [ ]b',
	],
	['powers', '<p>10<sup>6</sup> m<sup>2</sup>, the 1<sup>st</sup>', '10^6 m^2, the 1st'],
	[
		'powers of several signs',
		'<p>2<sup>n+1</sup> or 2<sup>10k</sup> or x<sup>(a−b)</sup>, M<sup>lle</sup>',
		'2^(n+1) or 2^10k or x^(a−b), Mlle',
	],
	[
		'bold and italics, with signs outside',
		'<p>这是<b>“重点”</b>，<i>a</i><em>b</em> <strong>one <a href="/x">two</a></strong> <b> c </b>d',
		'这是“**重点**”，*a*b one [two](https://shop.example/x) **c** d',
	],
	[
		'lines that an inline style keeps',
		'<div style="white-space: pre-wrap">Room 5\n12 Road<p style="white-space:normal">a\nb</p></div>',
		'Room 5\n12 Road\n\na b',
	],
	[
		'a formula that KaTeX draws, once',
		'<p>E <span class="katex"><span class="katex-mathml"><math><mi>m</mi><annotation>m</annotation></math></span><span class="katex-html" aria-hidden=true>m</span></span>.',
		'E m.',
	],
	['no closed popover', '<p>a<div popover>b</div>', 'a'],
	['the document in a frame', '<p>a<iframe srcdoc="<p>b</p>">c</iframe>', 'a\n\nb'],
	[
		'HTML in a drawing',
		'<svg><text>a</text><foreignObject><div>b</div></foreignObject></svg>',
		'b',
	],
	['no boxes that open menus', '<input type=checkbox id=menu-toggle><p>a', 'a'],
	['addresses in angle brackets', '<p>&lt;https://a.example&gt;', '\\<https://a.example>'],
	[
		'the names of links without words',
		'<a href="/1" aria-label="Next"><svg></svg></a> <a href="/2"><img src="/b.png" alt=""  title="Cart"></a>',
		'[Next](https://shop.example/1) [![Cart](https://shop.example/b.png)](https://shop.example/2)',
	],
	[
		'shadow roots',
		'<x-y><template shadowrootmode=open><h2>Card</h2><slot></slot></template><b>Light</b></x-y>',
		'## Card\n\n**Light**',
	],
	[
		'a large link',
		`<a href="/a"><h2>Head</h2><p>${WORD}</p></a>`,
		`## [Head](https://shop.example/a)\n\n${WORD}`,
	],
	['a large heading', `<h2>Name<p>${WORD}</p></h2>`, `## Name ${WORD}`],
	['a large quote', `<blockquote><p>${WORD}<p>${WORD}</blockquote>`, `> ${WORD}\n>\n> ${WORD}`],
	['signs that nobody sees', '<p>Donau\u00addampf\u200bschiff 👨‍👩‍👧', 'Donaudampfschiff 👨‍👩‍👧'],
	['an open head', '<head><title>T</title><h2>Two</h2><p>words', '# T\n\n## Two\n\nwords'],
	[
		'lists in more lists than are indented',
		`${'<ul><li>'.repeat(14)}a<p>b`,
		`${'- '.repeat(14)}a\n\n${' '.repeat(24)}b`,
	],
	['quotes in more quotes than have marks', `${'<blockquote>'.repeat(14)}a`, `${'> '.repeat(12)}a`],
	['words in a list beside its items', '<ul>x<li>a</ul><ol>x<li>b</ol>', '- x\n- a\n\n1. x\n1. b'],
	['a list that begins with a list', '<ul><ul><li>a</ul><li>b</ul>', '- - a\n- b'],
	['a list behind an empty item', '<ul><li></li><ul><li>b</ul></ul>', '- - b'],
	['the number of a list behind an empty item', '<ol><li></li><ul><li>b</ul></ol>', '2. - b'],
	['the number of an empty item', '<ol><li></li><li>b</ol>', '2. b'],
	[
		'numbers that Markdown knows',
		'<ol start=-1><li>a<li>b<li>c<li value=12345678901>d</ol>',
		'0. a\n0. b\n1. c\n999999999. d',
	],
	[
		'the parts of a page in a table that says so',
		'<table role=presentation><tr><td>a<td>b</table>',
		'a\n\nb',
	],
	['a table of one column, as it only lays out', '<table><tr><td>a<tr><td>b</table>', 'a\n\nb'],
	[
		'code in a table that only lays out',
		'<table><tr><td>1<td><pre>a\nb</pre></table>',
		'1\n\n```\na\nb\n```',
	],
	[
		'code in a table of values',
		'<table><tr><th>A<th>B<th>C<tr><td>1<td>2<td><pre>a\nb</pre></table>',
		'| A | B | C |\n| - | - | - |\n| 1 | 2 | `a b` |',
	],
	[
		'rows that are longer than the first',
		'<table><tr><td>a<td>b<tr><tr><td>1<td>2<td>3</table>',
		'| a | b | |\n| - | - | - |\n| 1 | 2 | 3 |',
	],
	[
		'no rows and cells that are hidden',
		'<table><tr><td>a<td>b<td hidden>c<tr hidden><td>d<td>e<tr><td>1<td>2</table>',
		'| a | b |\n| - | - |\n| 1 | 2 |',
	],
	['the title in a smaller heading', '<title>T</title><h2>T</h2>', '# T\n\n## T'],
	[
		'no marks of emphasis in a heading',
		'<h2>a <b>b</b> <i>c</i></h2><p><b>d</b> <b>12</b>',
		'## a b c\n\n**d** 12',
	],
	['number signs at the end of a heading', '<h2>C #</h2>', '## C \\#'],
	['blocks that are struck out', '<del><p>a</p><p>b</p></del><p>c', '~~a~~\n\n~~b~~\n\nc'],
	[
		'a link whose heading is a picture',
		'<a href="/p"><h3><img src="/i.png" alt=I></h3><p>Words</a>',
		'### ![I](https://shop.example/i.png)\n\n[Words](https://shop.example/p)',
	],
	['no link of nothing', '<a href="/p"><h3></h3><p></p></a><p>a', 'a'],
	[
		'lines up to the end of what keeps them',
		'<div style="white-space:pre">a\nb</div><p>c\nd <span style="white-space:pre-line">e\nf</span> g\nh',
		'a\nb\n\nc d e\nf g h',
	],
	['no empty code', '<pre> </pre><p>a<code> </code>b', 'ab'],
	[
		'code in a link',
		'<a href="/p">a<pre>b</pre>c <code>d<br>`</code></a>',
		'[a `b` c `` d ` ``](https://shop.example/p)',
	],
	[
		'the language of code by what is around it',
		'<div class="highlight-source-js"><pre>a</pre></div>',
		'```js\na\n```',
	],
	[
		'the name of a link for its own picture only',
		'<a href="/1" aria-label="Next"><img src="/a.png"></a> <img src="/b.png">',
		'[![Next](https://shop.example/a.png)](https://shop.example/1) ![](https://shop.example/b.png)',
	],
	[
		'the label of a link rather than a title',
		'<a href="/1" title=No><svg aria-label=Up></svg></a> <a href="/2"><svg><title>Help</title></svg></a>',
		'[Up](https://shop.example/1) [Help](https://shop.example/2)',
	],
	['what follows three line ends as a paragraph', 'a<br><br><br>b', 'a\n\nb'],
	[
		'a mark before a link that is apart',
		'<p>New! <a href="/1">a</a><p>New!<br><a href="/1">a</a>',
		'New! [a](https://shop.example/1)\n\nNew!\n[a](https://shop.example/1)',
	],
	['blanks in elements', '<p>a<b> </b>b <i>c</i> <em>d</em>', 'a b *c* *d*'],
	['blanks at the ends of elements', '<p>a<b> b</b>c<b>d </b>e<b></b>f', 'a **b**c**d** ef'],
	['brackets in a title', '<title>[a] b</title>', '# \\[a] b'],
	[
		'links and bold text in headings and tables',
		'<h2>a <a href="/1">b</a></h2><table><tr><td><a href="/2">c</a><td><b>d</b></table>',
		'## a [b](https://shop.example/1)\n\n| [c](https://shop.example/2) | **d** |\n| - | - |',
	],
	[
		'tables with scripts between their rows',
		'<table><tr><td>a<td>b</tr><script></script><script></script><tr><td>1<td>2</table>',
		'| a | b |\n| - | - |\n| 1 | 2 |',
	],
	[
		'blocks in a link apart',
		'<a href="/1"><div>a</div>b<div>c</div>d</a>',
		'[a b c d](https://shop.example/1)',
	],
	[
		'code of elements that are no lines',
		'<pre><span>a</span><span>b</span></pre><pre>run <code><b class=line>c</b><b class=line>d</b></code></pre><pre><code>e</code><code>f</code>\n<code>g</code></pre>',
		'```\nab\n```\n\n```\nrun cd\n```\n\n```\nef\ng\n```',
	],
	['code of elements that are lines', '<pre><code>a</code><code>b</code></pre>', '```\na\nb\n```'],
	[
		'headings above words in a table that only lays out',
		'<table><tr><td><h3>A</h3>one<td><h3>B</h3>two</table>',
		'### A\n\none\n\n### B\n\ntwo',
	],
	[
		'code with blocks, line ends, and marks in its lines',
		'<pre>a<div>b <b>c</b></div>d<br>e<div>f <b>g</b></div></pre><pre><table><tr><td>1<td>h<b>i</b></table></pre>',
		'```\na\nb c\nd\ne\nf g\n```\n\n```\n1 hi\n```',
	],
	[
		'a picture that loads late, and another one for readers without scripts',
		'<img src="/s.gif" data-src="/1.jpg"><noscript><img src="/2.jpg"></noscript>',
		'![](https://shop.example/1.jpg)![](https://shop.example/2.jpg)',
	],
	['vertical lines outside of tables', '<p>a | b', 'a | b'],
	['a line that begins behind an element', '<div style="white-space:pre"><b>a</b>\nb', '**a**\nb'],
	['code that begins or ends with a mark', '<code>`a</code> <code>a`</code>', '`` `a `` `` a` ``'],
	['an address that cannot be read', '<a href="http://">a</a> <a href=" ">b</a>', '[a](http://) b'],
	[
		'formulas that KaTeX draws alone',
		'<p>a <span class="katex-html">b</span> <i>c</i><span class="katex-html">d</span>',
		'a b *c*d',
	],
	[
		'visible words in hidden ones',
		'<p>One two three four <span style="visibility:hidden">no <i style="visibility:visible">five</i> no</span>',
		'One two three four *five*',
	],
	['dialogs that are open', '<dialog>a</dialog><dialog open>b</dialog>', 'b'],
	[
		'boxes, but those of menus, and no fields',
		'<nav><input type=checkbox>a</nav><p><input type=CHECKBOX>b <input value=c><textarea>d</textarea>',
		'a\n\n[ ]b',
	],
	[
		'lines that would be Markdown',
		'<p># a<br>- b<br>+ c<br>&gt; d<br>2) e<br>===',
		'\\# a\n\\- b\n\\+ c\n\\> d\n2\\) e\n\\===',
	],
])('keeps %s', async (_what, html, text) => {
	expect(await markdown(html)).toBe(text);
});

it.each([
	'java\nscript:alert(1)',
	' \x01javascript:alert(1)',
	'JavaScript:alert(1)',
	'vbscript:x',
	'data:text/html,x',
])('makes no link of %j', async (href) => {
	expect(await markdown(`<a href="${href}">one</a>`)).toBe('one');
});

it.each([
	['?x=1&y=2&copy=3', 'https://shop.example/list/phones?x=1&y=2&copy=3'],
	['/a_b*c(d)?q=[1]', 'https://shop.example/a_b*c%28d%29?q=[1]'],
	['/a?b=c\\d', 'https://shop.example/a?b=c%5Cd'],
	['https://user:secret@shop.example/x', 'https://shop.example/x'],
])('writes the address of a link so that it can be followed: %s', async (href, url) => {
	expect(await markdown(`<p><a href="${href}">one</a>`)).toBe(`[one](${url})`);
});

describe('pictures', () => {
	it.each([
		'<img src="data:image/gif;base64,R0" data-src="/1.jpg">',
		'<img src="data:image/gif;base64,R0" data-lazy-src="/1.jpg">',
		'<img src="/blank.gif" real_src="/1.jpg">',
		'<img src="/img/loading.svg" zoomfile="/1.jpg" file="/1.jpg">',
		'<img src="/s.gif" data-any-name="/1.jpg">',
		'<img src="" data-x="/1.jpg">',
		'<img srcset="/0.jpg 480w, /1.jpg 960w">',
		'<img data-srcset="/0.jpg 1x, /1.jpg 2x" src="data:,">',
		'<picture><source srcset="/1.jpg"><img src="data:image/gif;base64,R0"></picture>',
		'<img src="/1.jpg" data-link="/2.html" alt="">',
		'<img src="/spacer.gif"><noscript><img src="/1.jpg"></noscript>',
		'<img data-src="/1.jpg"><noscript><img src="/1.jpg"></noscript>',
		'<img src="/spacer.gif"> \n<noscript><img src="/1.jpg"></noscript>',
		'<img src="/1.jpg"><noscript><img src="/count?x" height=1 width=1></noscript>',
		'<noscript><img alt=x><img src="/1.jpg"></noscript>',
		'<noscript><img src="/1.jpg" width=600 height=1></noscript>',
		'<img src="/1.jpg" data-version="1.2">',
		'<div><template id="P:1"></template><noscript><img src="/1.jpg"></noscript></div><p hidden id="S:1"><img src="/spacer.gif"></p>',
		'<noscript><p>No scripts</p><img src="/1.jpg"></noscript>',
		'<img src="/1.jpg"><noscript>Turn scripts on</noscript>',
		'<img src="/1.jpg"><p></p><noscript><img src="/1.jpg"></noscript>',
		'<noscript><img src="/count?x" height=1 width=1></noscript><img src="/1.jpg">',
		'<img src="data:image/gif;base64,R0" data-placeholder="/0.jpg" data-src="/1.jpg">',
	])('%s has its own address, once', async (html) => {
		expect(await markdown(html)).toBe('![](https://shop.example/1.jpg)');
	});

	it.each(['default', 'case-transparent', 'clear-500ml', 'loading'])(
		'loaded late may be called %s',
		async (name) => {
			const html = `<img src="/spacer.gif" data-src="/${name}.jpg">`;
			expect(await markdown(html)).toBe(`![](https://shop.example/${name}.jpg)`);
		},
	);

	it('without an address are their texts, apart from each other', async () => {
		expect(await markdown('<p><img alt=a data-target="/page"><img alt=b src="data:,">c')).toBe(
			'a b c',
		);
	});
});

describe('markup for readers without scripts', () => {
	const posts = Array.from(
		{ length: 5 },
		(_, n) => `<h2>Post ${n}</h2><p>${'Words of it. '.repeat(9)}</p>`,
	);

	it('is read where it holds the page, as forums have it', async () => {
		const text = await markdown(
			`<div id=app></div><noscript><main>${posts.join('')}</main></noscript>`,
		);
		expect(text).toMatch(/^## Post 0\n\nWords of it\.[^]*\n\n## Post 4\n\nWords/);
	});

	it('is read as far as it is more than all that is shown', async () => {
		const other = `<noscript><p>${'Less of it. '.repeat(24)}</p></noscript>`;
		const text = await markdown(`<p>Menu</p>${other}<noscript>${posts.join('')}</noscript>Foot`);
		expect(text).toMatch(/^Menu\n\n## Post 0\n[^]*\n\nFoot$/);
		expect(text).not.toContain('Less of it');
	});

	it.each([
		['asks for scripts', '<div id=app></div><noscript>Turn scripts on</noscript>', ''],
		[
			'is less than what a script shows',
			`<div hidden>${'a '.repeat(400)}</div><noscript>${posts.slice(1).join('')}</noscript>`,
			'a',
		],
		['is less than the page', `<p>${'a '.repeat(400)}</p><noscript>${posts[0]}</noscript>`, 'a'],
	])('stays out where it %s', async (_what, html, start) => {
		const text = await markdown(html);
		expect(text.startsWith(start)).toBe(true);
		expect(text).not.toMatch(/scripts|Post/);
	});
});

const BOUNDARY = '<!--$?--><template id="B:0"></template><p>One moment</p><!--/$-->';

it.each([
	[
		'a boundary',
		`<main><p>a</p>${BOUNDARY}<p>c</p></main><div hidden id="S:0"><p>b</p></div>`,
		'a\n\nb\n\nc',
	],
	[
		'a boundary with a number of its own',
		`<p>a</p>${BOUNDARY}<p>c</p><div hidden id="S:4"><p>b</p></div><script>$RC("B:0","S:4")</script>`,
		'a\n\nb\n\nc',
	],
	[
		'a part within a part',
		`<main>${BOUNDARY}<p>c</p></main><div hidden id="S:1"><p>b</p></div><div hidden id="S:0"><p>a</p><template id="P:1"></template></div>`,
		'a\n\nb\n\nc',
	],
	[
		'rows of a table',
		'<table><tr><td>a<td>b</tr><template id="P:1"></template></table><p>z</p><table hidden><tbody id="S:1"><tr><td>c<td>d</tr></tbody></table>',
		'| a | b |\n| - | - |\n| c | d |\n\nz',
	],
	['no place', '<p>a</p><div hidden id="S:0"><p>b</p></div><div hidden id=x>c</div>', 'a\n\nb'],
	[
		'a place in itself',
		`<p>a</p><div hidden id="S:0"><p>b</p>${BOUNDARY}</div>`,
		'a\n\nb\n\nOne moment',
	],
	[
		'two boundaries beside each other',
		`<main>${BOUNDARY}${BOUNDARY.replace('B:0', 'B:1')}<p>c</p></main><div hidden id="S:0"><p>a</p></div><div hidden id="S:1"><p>b</p></div>`,
		'a\n\nb\n\nc',
	],
	[
		'boundaries and comments in what stands in for it',
		`<main><!--$?--><template id="B:0"></template><!-- x --><p>One</p><!--$--><p>two</p><!--/$--><!--$!-->three<!--/$--><p>four</p><!--/$--><p>c</p></main><div hidden id="S:0"><p>b</p></div>`,
		'b\n\nc',
	],
	[
		'a boundary without an end',
		'<main><!--$?--><template id="B:0"></template><p>One moment</p></main><div hidden id="S:0"><p>b</p></div>',
		'b\n\nOne moment',
	],
	[
		'a part of a boundary, put by a script',
		'<main><!--$--><template id="P:1"></template><p>c</p><!--/$--></main><div hidden id="S:7"><p>b</p></div><script>$RS("S:7","P:1")</script>',
		'b\n\nc',
	],
	[
		'a call that a text shows',
		`<main>${BOUNDARY}</main><p>$RC("B:0","S:4")</p><div hidden id="S:0"><p>b</p></div><div hidden id="S:4"></div>`,
		'b\n\n$RC("B:0","S:4")',
	],
	[
		'no place but an element that is called so',
		'<p id="B:0">a</p><p>c</p><div hidden id="S:0"><p>b</p></div>',
		'a\n\nc\n\nb',
	],
	[
		'no place for a row in a table of its own',
		'<p>a word</p><table hidden><tbody><tr id="S:1"><td>c<td>d</tr></tbody></table>',
		'a word\n\n| c | d |\n| - | - |',
	],
	[
		'no place for what stands deep in something hidden',
		'<p>a lot of words</p><div hidden><div><div><div id="S:1">c</div></div></div></div>',
		'a lot of words',
	],
])('shows what React sends late in its place: %s', async (_what, html, text) => {
	expect(await markdown(html)).toBe(text);
});

it('knows the title of the page from those of its pictures', async () => {
	const { title } = await pageOf(
		'<svg><title>Logo</title></svg><title>Page</title><title>x</title>',
	);
	expect(title).toBe('Page');
});

it.each([
	['a list', `<ol>${'<li>word'.repeat(3000)}</ol>`, /^1\. word\n2\. word\n[^]*\n3000\. word$/],
	[
		'a table',
		`<table>${'<tr><td>a<td>b'.repeat(3000)}</table>`,
		/^\| a \| b \|\n\| - \| - \|\n(\| a \| b \|\n){2998}\| a \| b \|$/,
	],
	['parts', `<main>${'<p>word</p>'.repeat(3000)}</main>`, /^(word\n\n){2999}word$/],
])('writes %s in pieces as if it were one', async (_what, html, text) => {
	let pieces = 0;
	const counting = async () => {
		pieces += 1;
	};
	expect(await markdown(html, counting)).toMatch(text);
	expect(pieces).toBeGreaterThan(3);
});

it('writes the HTML of what one element holds in pieces as if it were one', async () => {
	const html = `<main id="a"><ul hidden="">${'<li>a &amp; <b>b</b></li>'.repeat(6000)}</ul>c</main>`;
	const { document } = await pageOf(html);
	let pieces = 0;
	const written = await innerHtml(document, async () => {
		pieces += 1;
	});
	expect(written).toBe(`<html><head></head><body>${html.replace('=""', '')}</body></html>`);
	expect(pieces).toBeGreaterThan(3);
});

it('says where a very long page was cut', async () => {
	const text = await markdown(`<p>${`${'w'.repeat(49)} `.repeat(110_000)}</p>`);
	expect(text).toMatch(
		/\n\n\[The page goes on\. This is the text of the first 5,000,000 characters of its 5,500,007\.\]$/,
	);
});

it('shows the words of a page that is nested too deeply', async () => {
	expect(await markdown(`${'<div>'.repeat(10_000)}words`)).toBe('words');
	const [opened, closed] = ['<div>', '</div>'].map((tag) => tag.repeat(10_000));
	expect(await markdown(`${opened}words${closed}<p>more`)).toBe('words\n\nmore');
});

describe('a page cannot hold up the others', () => {
	const hostile: Readonly<Record<string, (many: number) => string>> = {
		'nested elements': (many) => '<div class="a">'.repeat(many),
		'nested elements that others end': (many) => '<x></y>'.repeat(many),
		'nested elements that comments end': (many) => '<x><!--</x>-->'.repeat(many),
		'lists without an end': (many) => '<ul><li>x'.repeat(many),
		'links without an end': (many) => '<a href=x>w '.repeat(many),
		'quotes without an end': (many) => '<blockquote>a'.repeat(many),
		'brackets alone': (many) => '<'.repeat(many * 4),
		'a long word': (many) => `<p>${'ab_'.repeat(many * 4)}`,
		'an item of many parts': (many) => `<ul><li>${'<p>a</p>'.repeat(many)}</ul>`,
		'wide cells': (many) => `<table>${'<tr><td colspan=99999>1<td>2'.repeat(many / 5)}</table>`,
		'comments without an end': (many) => '<!--'.repeat(many),
	};

	it.each(Object.entries(hostile))('by %s', async (_name, htmlOf) => {
		await expectInProportion(5000, async (many) => {
			const html = htmlOf(many);
			let pauses = 0;
			await markdown(html, async () => void (pauses += 1));
			const elements = html.match(/<[a-z]/g) ?? [];
			expect(pauses).toBeGreaterThanOrEqual(2 * elements.length);
		});
	});
});

const HIDDEN =
	'<p>The story has many more words than all the rest of this page has, and is told in full.</p>';

it.each([
	[
		'of a short article',
		`<div style="visibility:hidden;opacity:0">${HIDDEN}</div>Menu<div hidden>Ask us</div>`,
	],
	[
		'beside navigation',
		`<nav>${'Home '.repeat(40)}</nav><div style="display:none">${HIDDEN}</div><footer>${'Imprint '.repeat(40)}</footer>`,
	],
	['in a part that is shown later as well', `<div hidden>${HIDDEN}<p hidden>Ask us</p></div>`],
	['before a smaller part', `<div hidden>Ask us</div><div hidden>${HIDDEN}</div>`],
])('shows the words that a script shows, %s', async (_what, html) => {
	const text = await markdown(html);
	expect(text).toContain('The story has many more words');
	expect(text).not.toContain('Ask us');
});

it('leaves out hidden parts that are smaller than what is shown', async () => {
	const tabs = '<div style="display:none">Another tab</div>'.repeat(9);
	expect(await markdown(`${HIDDEN}${tabs}<div hidden>${HIDDEN.slice(0, 60)}</div>`)).not.toMatch(
		/tab|story.*story/s,
	);
});
