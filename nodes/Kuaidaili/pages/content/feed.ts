import type { AnyNode, Element } from 'domhandler';

import { parseHtml, type HtmlPage } from './html';
import { MarkdownWriter } from './markdown';
import { findShownNodes } from './shownNodes';
import {
	childrenOf,
	collapsed,
	elementsOf,
	exactText,
	isElement,
	linkUrl,
	withPauses,
	type Pause,
} from './tree';

const ENTRIES = new Set(['item', 'entry']);

/** Elements of an entry that hold HTML, the longest first. */
const CONTENT = ['content:encoded', 'content', 'description', 'summary', 'media:description'];

const LINES = ['pubDate', 'published', 'updated', 'dc:date', 'author', 'dc:creator', 'category'];

function childNamed(parent: Element, name: string): Element | undefined {
	return childrenOf(parent).find((node): node is Element => isElement(node) && node.name === name);
}

/** A text of RSS and Atom: an author is a name within an element, or the element's text. */
function lineOf(parent: Element, name: string): string {
	const element = childNamed(parent, name);
	if (element === undefined) return '';
	return collapsed(element.attribs.term ?? exactText(childNamed(element, 'name') ?? element));
}

/** The address of an entry: the text of `link` in RSS, an attribute in Atom. */
function entryAddressOf(entry: Element, page: HtmlPage): string | undefined {
	const links = childrenOf(entry).filter(
		(node): node is Element => isElement(node) && node.name === 'link',
	);
	const rank = ({ attribs: { rel = 'alternate' } }: Element) => (rel === 'alternate' ? 0 : 1);
	const [link] = links.sort((a, b) => rank(a) - rank(b));
	if (link === undefined) return undefined;
	const address = link.attribs.href ?? exactText(link);
	return linkUrl(address, page);
}

/** The HTML of an entry: as text, or as elements of XHTML. */
function contentOf(entry: Element): Element | undefined {
	for (const name of CONTENT) {
		const element = childNamed(entry, name);
		if (element !== undefined && exactText(element).trim() !== '') return element;
	}
	return undefined;
}

function isFeed(page: HtmlPage): boolean {
	for (const element of elementsOf(page.document)) {
		if (ENTRIES.has(element.name)) return true;
	}
	return false;
}

/** Writes the text or the elements of an entry as a page of its own. */
async function writeContent(
	writer: MarkdownWriter,
	content: Element,
	baseUrl: string,
	pause: Pause,
): Promise<void> {
	const isOfElements = childrenOf(content).some((node) => isElement(node));
	const page = isOfElements
		? { document: content, baseUrl, title: '' }
		: { ...(await parseHtml(exactText(content), baseUrl, pause)), title: '' };
	writer.goOnWith(page, await findShownNodes(page.document, pause));
	await withPauses(writer.write(childrenOf(page.document)), pause);
}

async function writeEntry(
	writer: MarkdownWriter,
	entry: Element,
	page: HtmlPage,
	pause: Pause,
): Promise<void> {
	const address = entryAddressOf(entry, page);
	const title = childNamed(entry, 'title');
	const name = title === undefined ? '' : collapsed(exactText(title));
	await withPauses(writer.writeHeading(2, name || (address ?? ''), address), pause);
	const lines = LINES.map((line) => lineOf(entry, line)).filter(Boolean);
	await withPauses(writer.writeParagraph(lines.join(', ')), pause);
	const content = contentOf(entry);
	if (content !== undefined) await writeContent(writer, content, address ?? page.baseUrl, pause);
	const enclosure = childNamed(entry, 'enclosure')?.attribs.url;
	const file = enclosure === undefined ? undefined : linkUrl(enclosure, page);
	if (file !== undefined) writer.writeLink(file.split('/').at(-1) || file, file);
}

/** Elements that hold only text, as lines; each of the others stands apart. */
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
		if (children.some(isElement)) {
			await withPauses(writer.writeLines(lines.splice(0)), pause);
			await writeElements(writer, children, pause);
		} else {
			const text = collapsed(exactText(node));
			if (text !== '') lines.push(`${node.name}: ${text}`);
		}
	}
	await withPauses(writer.writeLines(lines), pause);
}

/** The Markdown of a feed, entry after entry; of other XML, its elements with their names. */
export async function markdownOfXml(page: HtmlPage, pause: Pause): Promise<string> {
	const { document, title } = page;
	const writer = new MarkdownWriter(page, await findShownNodes(document, pause));
	await withPauses(writer.writeHeading(1, title), pause);
	if (!isFeed(page)) await writeElements(writer, document.children, pause);
	else {
		for (const element of elementsOf(document)) {
			await pause();
			if (ENTRIES.has(element.name)) await writeEntry(writer, element, page, pause);
			else if (/^(?:channel|feed)$/.test(element.name)) {
				const about = lineOf(element, 'description') || lineOf(element, 'subtitle');
				await withPauses(writer.writeParagraph(about), pause);
			}
		}
	}
	writer.writeEnd(page);
	return writer.toString();
}
