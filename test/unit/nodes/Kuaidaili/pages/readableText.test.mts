import { readableText } from '../../../../../nodes/Kuaidaili/pages/readableText.ts';

it('leaves what a person reads', () => {
	const html = `<!doctype html><html><head><title>Shop</title><style>p { color: red }</style></head>
		<body><nav><a href="/">Home</a></nav><h1>价格</h1><p>今天 <b>12</b> 元, see <a href="/more">more</a></p>
		<script>track()</script><img src="x.png" alt="picture"><ul><li>one</li><li>two</li></ul>
		<form><input value="search"><button>Go</button></form></body></html>`;
	expect(readableText(html)).toBe('价格\n\n今天 12 元, see more [/more]\n\n * one\n * two');
});

it('puts each row of a table on a line', () => {
	const row = (...cells: string[]) =>
		`<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
	const html = `<table>${row('Beijing', '12')}${row('Shanghai', '34')}</table>`;
	expect(
		readableText(html)
			.split('\n')
			.map((line) => line.trim()),
	).toEqual(['Beijing 12', 'Shanghai 34']);
});

it('keeps the cells of a table apart, whatever they span', () => {
	const huge = '<table><tr><td colspan="100000" rowspan="100000">a</td><td>b</td></tr></table>';
	expect(readableText(huge)).toBe('a b');
});

describe('a page cannot hold up the others', () => {
	const longest = 200_000;
	const hostile: Readonly<Record<string, string>> = {
		'nested elements': '<div class="a">'.repeat(longest),
		'nested elements that end': '<x>'.repeat(longest) + '</x>'.repeat(longest),
		'nested elements that others end': '<x></y>'.repeat(longest),
		'nested elements that comments end': '<x><!--</x>-->'.repeat(longest),
		'lists without an end': '<ul><li>x'.repeat(longest),
		'brackets alone': '<'.repeat(longest),
		'a table of many rows': `<table>${'<tr><td>1</td></tr>'.repeat(30_000)}</table>`,
		'comments without an end': '<!--'.repeat(longest),
	};

	it.each(Object.entries(hostile))('by %s', (_name, html) => {
		const start = performance.now();
		expect(typeof readableText(html)).toBe('string');
		expect(performance.now() - start).toBeLessThan(15_000);
	});
});

it('shows the words of a page that is nested too deeply', () => {
	expect(readableText(`${'<div>'.repeat(10_000)}words`)).toBe('words');
	const [opened, closed] = ['<div>', '</div>'].map((tag) => tag.repeat(10_000));
	expect(readableText(`${opened}words${closed}`)).toBe('words');
});

it('reads many elements that are not nested, and lists whose parts have no end', () => {
	const list = (count: number) => `<ul>${'<li>one'.repeat(count)}</ul><nav>menu</nav>`;
	expect(readableText(list(10_000))).toBe(readableText(list(10_000).replaceAll('one', 'one</li>')));
});

it('says where a very long page was cut', () => {
	const text = readableText(`<p>${'word '.repeat(500_000)}</p>`);
	expect(text).toMatch(
		/\n\n\[The page goes on\. This is the text of the first 2,000,000 characters of its 2,500,007\.\]$/,
	);
	expect(readableText('<p>word</p>')).toBe('word');
});
