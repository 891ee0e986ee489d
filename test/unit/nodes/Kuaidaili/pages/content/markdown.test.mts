import { markdownOf } from '../../../../../../nodes/Kuaidaili/pages/content/markdown.ts';
import { LIST, pageOf, pause } from './pages.mts';

async function markdown(html: string, pausing = pause): Promise<string> {
	return await markdownOf(await pageOf(html), pausing);
}

it('has what a reader sees of a list of a shop', async () => {
	expect(await markdown(LIST)).toBe(`# 手机 - 数码商城

- [首页](https://shop.example/)
- [帮助](https://shop.example/mall/help#pay)

# 手机

- [![手机甲](https://img.example/1.jpg)](https://shop.example/mall/p/1.html) [手机甲 128G](https://shop.example/mall/p/1.html)价格：1999.00元
- [手机乙](https://shop.example/mall/p/2.html#reviews) 价格：899元
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
		'<a href="/p"><div><h3>Card</h3><p>12元</p></div></a>',
		'[Card 12元](https://shop.example/p)',
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
		'ab\n\ncd[e<](https://shop.example/list/x)',
	],
	['no page', '', ''],
])('writes %s', async (_what, html, text) => {
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

it('says where a very long page was cut', async () => {
	const text = await markdown(`<p>${'word '.repeat(1_100_000)}</p>`);
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
	const many = 50_000;
	const hostile: Readonly<Record<string, string>> = {
		'nested elements': '<div class="a">'.repeat(many),
		'nested elements that others end': '<x></y>'.repeat(many),
		'nested elements that comments end': '<x><!--</x>-->'.repeat(many),
		'lists without an end': '<ul><li>x'.repeat(many),
		'links without an end': '<a href=x>w '.repeat(many),
		'quotes without an end': '<blockquote>a'.repeat(many),
		'brackets alone': '<'.repeat(many * 4),
		'a long word': `<p>${'ab_'.repeat(many * 4)}`,
		'an item of many parts': `<ul><li>${'<p>a</p>'.repeat(many)}</ul>`,
		'wide cells': `<table>${'<tr><td colspan=99999>1<td>2'.repeat(many / 5)}</table>`,
		'comments without an end': '<!--'.repeat(many),
	};

	it.each(Object.entries(hostile))('by %s', async (_name, html) => {
		let [since, longest] = [performance.now(), 0];
		const measured = async () => {
			longest = Math.max(longest, performance.now() - since);
			since = performance.now();
		};
		await markdown(html, measured);
		await measured();
		// A busy machine may be ten times slower than a quiet one
		expect(longest).toBeLessThan(3000);
	});
});
