import type { AnyNode, Element } from 'domhandler';

import { innerHtml } from '../../../shared/bundled/htmlTree';
import { addressContextOf, parseHtml, type HtmlPage } from './html';
import { readContent } from './mainContent';
import { MarkdownWriter } from './markdown';
import { findShownNodes, measureNodes } from './shownNodes';
import {
	childrenOf,
	collapsed,
	elementsOf,
	exactText,
	isElement,
	linkUrl,
	textOf,
	withoutNodes,
	withPauses,
	type Pause,
} from './tree';

const ENTRIES = new Set(['item', 'entry']);

/** Elements of an entry that hold HTML, the longest first. */
const CONTENT = ['content:encoded', 'content', 'description', 'summary', 'media:description'];

const LINES = ['pubDate', 'published', 'updated', 'dc:date', 'author', 'dc:creator', 'category'];

/** The first element of each name in one, which may hold a hundred thousand: looked through once, not for each name. */
type ElementsByName = ReadonlyMap<string, Element>;

function elementsByName(parent: Element | undefined): ElementsByName {
	const parts = new Map<string, Element>();
	for (const node of parent === undefined ? [] : childrenOf(parent)) {
		if (isElement(node) && !parts.has(node.name)) parts.set(node.name, node);
	}
	return parts;
}

/** A text of RSS and Atom: an author is a name within an element, or the element's text. */
function lineOf(parts: ElementsByName, name: string): string {
	const element = parts.get(name);
	if (element === undefined) return '';
	return collapsed(
		element.attribs.term ?? exactText(elementsByName(element).get('name') ?? element),
	);
}

/** The address of an entry: the text of `link` in RSS, an attribute in Atom. */
function entryAddressOf(entry: Element, parts: ElementsByName, page: HtmlPage): string | undefined {
	const links = childrenOf(entry).filter(
		(node): node is Element => isElement(node) && node.name === 'link',
	);
	const rank = ({ attribs: { rel = 'alternate' } }: Element) => (rel === 'alternate' ? 0 : 1);
	const [link] = links.sort((a, b) => rank(a) - rank(b));
	const guid = parts.get('guid');
	// An entry may have nothing but its permanent address, which is one unless it says that it is none
	const isPermanent = guid !== undefined && !/^false$/i.test(propertyText(guid, 'ispermalink'));
	const address = link === undefined ? '' : (link.attribs.href ?? exactText(link));
	if (address.trim() !== '') return linkUrl(address, addressContextOf(link ?? entry, page));
	const permanent = isPermanent ? exactText(guid).trim() : '';
	return /^https?:\/\//i.test(permanent) ? linkUrl(permanent, page) : undefined;
}

/** An attribute whatever its capitals; empty without it. */
function propertyText({ attribs }: Element, name: string): string {
	const key = Object.keys(attribs).find((each) => each.toLowerCase() === name);
	return key === undefined ? '' : attribs[key];
}

const TITLES = ['title', 'dc:title', 'media:title'];

/** The title of an entry. Of RSS and of Atom's type "html", it is HTML within the text, and of "xhtml" it has elements. */
async function titleOf(parts: ElementsByName, pause: Pause): Promise<string> {
	const holders = [parts, elementsByName(parts.get('media:group'))];
	const titles = holders.flatMap((holder) => TITLES.map((name) => holder.get(name)));
	const title = titles.find((each) => each !== undefined && exactText(each).trim() !== '');
	if (title === undefined) return '';
	const text = collapsed(exactText(title));
	const hasElements = childrenOf(title).some((node) => isElement(node));
	const isMarkup = title.attribs.type === 'html' || /&#?\w{1,10};|<\/[a-z]/i.test(text);
	if (!hasElements && (!isMarkup || title.attribs.type === 'text')) return text;
	const html = hasElements ? await innerHtml(title, pause) : text;
	return textOf((await parseHtml(html, 'https://localhost/', pause)).document);
}

/** The HTML of an entry: as text, or as elements of XHTML. */
function contentOf(parts: ElementsByName): Element | undefined {
	for (const name of CONTENT) {
		const element = parts.get(name);
		if (element !== undefined && exactText(element).trim() !== '') return element;
	}
	// As feeds of videos have it
	const group = parts.get('media:group');
	return group === undefined ? undefined : contentOf(elementsByName(group));
}

/** Whether it stands in a part of another entry, and is written with that. */
function isInPartOfEntry(entry: Element): boolean {
	let isInPart = false;
	for (let node: AnyNode | null = entry.parentNode; node !== null; node = node.parentNode) {
		const isEntry = isElement(node) && ENTRIES.has(node.name);
		if (isEntry && isInPart) return true;
		isInPart ||= !isEntry;
	}
	return false;
}

/** Writes the text or the elements of an entry as a page of its own. */
async function writeContent(
	writer: MarkdownWriter,
	content: Element,
	baseUrl: string,
	leaveOut: readonly string[],
	pause: Pause,
): Promise<void> {
	const isOfElements = childrenOf(content).some((node) => isElement(node));
	const html = isOfElements ? undefined : await parseHtml(exactText(content), baseUrl, pause);
	// Of elements, that was left out with the feed's own
	const shown =
		html === undefined
			? await findShownNodes(content, pause)
			: (await readContent(html, leaveOut, false, pause)).shown;
	const page = { ...(html ?? { document: content, baseUrl }), title: '' };
	const nodes = childrenOf(page.document);
	await withPauses(writer.write(nodes, page, await measureNodes(shown, pause)), pause);
}

async function writeEntry(
	writer: MarkdownWriter,
	entry: Element,
	page: HtmlPage,
	leaveOut: readonly string[],
	pause: Pause,
): Promise<void> {
	const parts = elementsByName(entry);
	const address = entryAddressOf(entry, parts, page);
	const name = await titleOf(parts, pause);
	await withPauses(writer.writeHeading(2, name || (address ?? ''), address), pause);
	const lines: string[] = [];
	for (const line of LINES) {
		lines.push(lineOf(parts, line));
		await pause();
	}
	await withPauses(writer.writeParagraph(lines.filter(Boolean).join(', ')), pause);
	const content = contentOf(parts);
	if (content !== undefined) {
		await writeContent(writer, content, address ?? page.baseUrl, leaveOut, pause);
	}
	const enclosure = parts.get('enclosure')?.attribs.url;
	const file = enclosure === undefined ? undefined : linkUrl(enclosure, page);
	if (file !== undefined) writer.writeLink(file.split('/').at(-1) || file, file);
}

/** The attributes of an element, such as `currency=USD`, but what declares its names. */
function attributesIn({ attribs }: Element): string[] {
	return Object.entries(attribs)
		.filter(([name]) => !/^x(?:ml|si|link)(?:ns)?(?::|$)/.test(name))
		.map(([name, value]) => `${name}=${collapsed(value)}`);
}

/** Elements that hold only text and attributes, as lines; each of the others stands apart. */
async function writeElements(
	writer: MarkdownWriter,
	nodes: readonly AnyNode[],
	pause: Pause,
): Promise<void> {
	const lines: string[] = [];
	for (const node of nodes) {
		await pause();
		if (!isElement(node)) continue;
		const children = childrenOf(node);
		const isLeaf = !children.some(isElement);
		const text = isLeaf ? collapsed(exactText(node)) : '';
		const values = [...attributesIn(node), text].filter((value) => value !== '');
		if (values.length > 0) lines.push(`${node.name}: ${values.join(', ')}`);
		if (isLeaf) continue;
		await withPauses(writer.writeLines(lines.splice(0)), pause);
		await writeElements(writer, children, pause);
	}
	await withPauses(writer.writeLines(lines), pause);
}

/**
 * The Markdown of a feed, entry after entry; of other XML, its elements with their names.
 *
 * @param leaveOut selectors of elements of the feed, and of the HTML in its entries
 */
export async function markdownOfXml(
	page: HtmlPage,
	leaveOut: readonly string[],
	pause: Pause,
): Promise<string> {
	const { title } = page;
	// An entry is all of an article, whatever it looks like
	const { shown, unwanted } = await readContent(page, leaveOut, false, pause);
	const document = unwanted.size > 0 ? withoutNodes(page.document, unwanted) : page.document;
	const writer = new MarkdownWriter(page);
	await withPauses(writer.writeHeading(1, title), pause);
	const isFeed = shown.nodes.some((node) => isElement(node) && ENTRIES.has(node.name));
	if (!isFeed) await writeElements(writer, document.children, pause);
	else {
		let about = '';
		for (const element of elementsOf(document)) {
			await pause();
			const { name } = element;
			if (ENTRIES.has(name)) {
				if (isInPartOfEntry(element)) continue;
				await writeEntry(writer, element, page, leaveOut, pause);
			} else if (about === '' && /^(?:channel|feed)$/.test(name)) {
				const parts = elementsByName(element);
				about = lineOf(parts, 'description') || lineOf(parts, 'subtitle');
				await withPauses(writer.writeParagraph(about), pause);
			}
		}
	}
	writer.writeEnd(page);
	return writer.toString();
}
