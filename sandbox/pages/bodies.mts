import { CHINESE_TEXTS, type Charset } from './chineseTexts.mts';

const PARAGRAPHS = [
	'The harbor of the small town was built four hundred years ago. Fishing boats leave it before sunrise and come back at noon.',
	'On Saturdays there is a market on the square behind the church. It begins at seven, and by ten most of the bread is gone.',
	'A ferry crosses to the island three times a day. The last one returns at six, so visitors who miss it stay until the morning.',
	'The lighthouse on the cliff has been closed since the storm. Its lamp was carried down the stairs and stands in the museum now.',
	'In winter the hotel by the station is the only one that is open. The others wait for Easter, when the first guests arrive by train.',
	'Bicycles can be rented next to the post office. The road along the coast is flat for nine miles and then climbs to the old chapel.',
];

export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export const page = (title: string, body: string, head = '') =>
	`<!DOCTYPE html>\n<html><head>${head}<title>${escaped(title)}</title></head><body>${body}</body></html>\n`;

const articleText = () => PARAGRAPHS.map((text) => `<p>${text}</p>`).join('\n');

/** For people: with all that is around the text of a page. */
export function article(title: string): string {
	return page(
		title,
		`<nav><a href="/">Home</a> <a href="/article">Articles</a></nav>
<main><h1>${escaped(title)}</h1>
${articleText()}
<table><tr><th>Ferry</th><th>Time</th></tr><tr><td>First</td><td>8:30</td></tr></table>
<ul><li>Salt &amp; pepper</li><li>Bread</li></ul></main>
<footer>Printed on recycled paper</footer><script>window.tracked = true;</script>`,
		'<meta charset="utf-8"><meta property="og:type" content="harbor"><style>main { color: #333 }</style>',
	);
}

export const short = (title: string, text: string) =>
	page(title, `<h1>${escaped(title)}</h1><p>${escaped(text)}</p>`, '<meta charset="utf-8">');

/** What there is on a site, as links. */
export const linkList = (
	title: string,
	entries: ReadonlyArray<readonly [path: string, what: string]>,
) =>
	page(
		title,
		`<h1>${escaped(title)}</h1>\n<ul>\n${entries.map(([path, what]) => `<li><a href="${escaped(path)}">${escaped(path)}</a>: ${escaped(what)}</li>`).join('\n')}\n</ul>`,
		'<meta charset="utf-8">',
	);

export const shopPage = (title: string, body: string) =>
	page(title, `<h1>${escaped(title)}</h1>\n${body}`, '<meta charset="utf-8">');

export const CAPTCHA = short('安全验证', '请完成下方的 captcha 验证后继续访问。');

/** The head and the markup are ASCII, and so the same in all of these character sets. */
export function chinesePage(charset: Charset, isNamed: boolean): Buffer {
	const { bytes } = CHINESE_TEXTS[charset];
	const head = isNamed ? `<meta charset="${charset}">` : '';
	const [before = '', after = ''] = page('Chinese', '<p>|</p>', head).split('|');
	return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
}

/** One pixel. */
export const PICTURE = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

export const loginForm = page(
	'Log in',
	'<form method="post" action="/login"><input name="user"><input name="password" type="password"><button>Log in</button></form>',
);
