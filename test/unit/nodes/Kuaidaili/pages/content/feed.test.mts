import { markdownOfXml } from '../../../../../../nodes/Kuaidaili/pages/content/feed.ts';
import { parseXmlPage } from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';
import { pause } from './pages.mts';

async function markdown(xml: string, leaveOut: readonly string[] = []): Promise<string> {
	const page = await parseXmlPage(xml, 'https://a.example/feed', pause);
	return await markdownOfXml(page, leaveOut, pause);
}

it('leaves out what is not wanted of the feed, and of the HTML in its entries', async () => {
	const feed = `<rss><channel><title>Feed</title>
<item><title>First</title><category>ads</category><description><![CDATA[<p>One</p><p class="ad">Buy</p>]]></description></item>
<item class="ad"><title>Second</title><description>Two</description></item>
<item><title>Third</title><content type="xhtml"><div><p>Three</p><p class="ad">Buy</p></div></content></item></channel></rss>`;
	expect(await markdown(feed, ['.ad', 'category'])).toBe(
		'# Feed\n\n## First\n\nOne\n\n## Third\n\nThree',
	);
});

it('writes a feed of RSS', async () => {
	const feed = `<?xml version="1.0"?><rss><channel><title>Feed</title><link>/</link><description>About</description>
<item><title><![CDATA[First & best]]></title><link>https://a.example/1</link><pubDate>Mon</pubDate>
<description><![CDATA[<p>Words of <a href="/2">the first</a><script>x()</script>]]></description></item>
<item><title/><link>/2</link><dc:creator>Ann</dc:creator><content:encoded>&lt;ul&gt;&lt;li&gt;a</content:encoded>
<enclosure url="/a.mp3" type="audio/mpeg"/></item></channel></rss>`;
	expect(await markdown(feed)).toBe(`# Feed

About

## [First & best](https://a.example/1)

Mon

Words of [the first](https://a.example/2)

## [https://a.example/2](https://a.example/2)

Ann

- a

[a.mp3](https://a.example/a.mp3)`);
});

it('writes a feed of Atom', async () => {
	const feed = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title><subtitle>About</subtitle>
<entry><title>One</title><link rel="self" href="/self"/><link href="/1"/><updated>2026</updated><author><name>Bo</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Words <b>one</b></p><p>two</p></div></content></entry></feed>`;
	expect(await markdown(feed)).toBe(`# Feed

About

## [One](https://a.example/1)

2026, Bo

Words **one**

two`);
});

it('writes other XML with the names of its elements', async () => {
	const list = `<?xml version="1.0"?><list><product id="1"><name>Pen</name><price>3</price><image/></product>
<product><name>Cup</name></product></list>`;
	expect(await markdown(list)).toBe('- product: id=1\n\n- name: Pen\n- price: 3\n\n- name: Cup');
});

const RSS = (item: string) => `<rss><channel><item>${item}</item></channel></rss>`;

it.each([
	[
		'a permanent address without a link',
		RSS('<title>A</title><guid>https://a.example/g</guid>'),
		'## [A](https://a.example/g)',
	],
	[
		'no address in a name',
		RSS('<title>A</title><guid isPermaLink="false">https://a.example/g</guid>'),
		'## A',
	],
	[
		'a link before its permanent address',
		RSS('<title>A</title><link>/1</link><guid>https://a.example/g</guid>'),
		'## [A](https://a.example/1)',
	],
	['a title of HTML in RSS', RSS('<title>A &amp;amp; &lt;b&gt;B&lt;/b&gt;</title>'), '## A & B'],
	[
		'a title of HTML in Atom',
		'<feed><entry><title type="html">A &amp;lt; B</title></entry></feed>',
		'## A < B',
	],
	[
		'a title that is text',
		'<feed><entry><title type="text">A &amp;lt; B</title></entry></feed>',
		'## A \\&lt; B',
	],
	[
		'the text of a video',
		'<feed><entry><title>A</title><media:group><media:description>About</media:description></media:group></entry></feed>',
		'## A\n\nAbout',
	],
	[
		'titles of other vocabularies, without their scripts',
		`${RSS('<dc:title>A</dc:title>')}`,
		'## A',
	],
	[
		'a title of elements',
		'<feed><entry><title type="xhtml"><div>A <b>b</b><script>c</script></div></title></entry></feed>',
		'## A b',
	],
	[
		'addresses by the base of what holds them',
		'<feed xml:base="https://b.example/blog/"><entry xml:base="p/"><title>A</title><link href="1"/></entry></feed>',
		'## [A](https://b.example/blog/p/1)',
	],
	[
		'characters by the names of HTML and of the document',
		`<!DOCTYPE rss [<!ENTITY shop "Pen &amp; Co"><!ENTITY deep "&shop;">]>${RSS('<title>Caf&eacute; &shop; &deep; &none; <![CDATA[&eacute;]]> &shop;</title>')}`,
		'## Café Pen & Co \\&shop; \\&none; é Pen & Co',
	],
	[
		'all of what names of characters make shorter',
		RSS('<title>Caf&eacute; &mdash; &nbsp;&hellip;</title>'),
		'## Café — …',
	],
	[
		'addresses by that of their entry',
		RSS('<title>A</title><link>/b/1</link><description>&lt;a href="2"&gt;b</description>'),
		'## [A](https://a.example/b/1)\n\n[b](https://a.example/b/2)',
	],
	['the first of two titles', RSS('<title>A</title><title>B</title>'), '## A'],
	['signs in a title of text', RSS('<title>1 &lt;b 2</title>'), '## 1 \\<b 2'],
	[
		'tags in a title of HTML',
		'<feed><entry><title type="html">A &lt;b>B</title></entry></feed>',
		'## A B',
	],
	[
		'nothing of what a picture of the feed is about',
		'<rss><channel><image><description>Logo</description></image><item><title>A</title></item></channel></rss>',
		'## A',
	],
	[
		'all of the text of an entry',
		RSS('<description>&lt;nav&gt;Menu&lt;/nav&gt;&lt;p&gt;Words</description>'),
		'Menu\n\nWords',
	],
	[
		'an entry in an entry, and no part of one that is called so',
		'<feed><entry><title>A</title><content type="xhtml"><div><p>Words</p><entry><title>No</title><name>Part</name></entry></div></content><entry><title>B</title></entry></entry></feed>',
		'## A\n\nWords\n\nPart\n\n## B',
	],
	[
		'signs of a title that is a link',
		RSS('<title>[New] A</title><link>/1</link>'),
		'## [\\[New\\] A](https://a.example/1)',
	],
	[
		'elements of XHTML as those of HTML',
		'<feed><entry><title>A</title><content type="xhtml"><div><p>a <![CDATA[b & c]]></p><table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table></div></content></entry></feed>',
		'## A\n\na b & c\n\n| 1 | 2 |\n| - | - |\n| 3 | 4 |',
	],
	[
		'signs of what a feed is about',
		'<rss><channel><description>Pens [new] | cups</description><item><title>A</title></item></channel></rss>',
		'Pens \\[new] | cups\n\n## A',
	],
	[
		'what stands in attributes',
		'<rates xmlns="x"><rate currency="USD" value="1.08"/><rate currency="JPY">160</rate></rates>',
		'- rate: currency=USD, value=1.08\n- rate: currency=JPY, 160',
	],
	[
		'nothing of declarations',
		`<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "b"><!ELEMENT x ANY>]>${RSS('<title>A</title>')}`,
		'## A',
	],
])('writes %s', async (_what, xml, text) => {
	expect(await markdown(xml)).toBe(text);
});
