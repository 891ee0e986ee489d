import type { AnyNode, Element } from 'domhandler';

import { compileSelector, type HtmlPage } from './html';
import { findShownNodes, isNoscript, SURROUNDINGS, type ShownNodes } from './shownNodes';
import { childrenOf, elementsOf, isBlock, isElement, isTextNode, textOf, type Pause } from './tree';

/** Elements whose text is shown, and that nobody reads as a part of the page. */
const UNREAD = new Set(['button', 'select', 'input']);

/** Roles that say themselves that they surround the content. */
const SURROUNDING_ROLES = new Set(
	'navigation banner contentinfo complementary search dialog alertdialog menu menubar'.split(' '),
);

/**
 * Words in classes and IDs of what surrounds an article, or interrupts it. Words that page builders also give to an
 * article's own parts, such as `widget`, `tag`, `header`, or `hidden`, are none of them.
 */
const SURROUNDING_NAME =
	/(?:^|[\s_-])(?:advert\w*|aside|banner|bio|bread-?crumbs?|captions?|comments?|cookies?|consent|copyright|credits?|disclaimer|disqus|footer|login|masthead|menu|modal|most-?(?:read|popular|viewed)|newsletters?\w*|outbrain|overlay|pag(?:er|ination)|popular|popup|print|promo\w*|recirc\w*|recommend\w*|related\w*|respond|rss|shar(?:e|ing)\w*|side-?bar\w*|signup|skip\w*|social\w*|sponsor\w*|subscri\w*|taboola|toolbar|trending)(?=$|[\s_-])/;

/**
 * Words in classes and IDs of labels, links, and buttons around a text; where sentences stand in an element called so, it
 * is rather a part of the article.
 */
const LABEL_NAME =
	/(?:^|[\s_-])(?:ads?|adv|crumb\w*|hidden|meta|nav\w*|read-?more|reply|share|skip\w*|tags?|teasers?|tools|topics|widgets?)(?=$|[\s_-])/;

/** All that stands above an advertisement. */
const ADVERTISEMENT = /^(?:advertisements?|sponsored(?: content)?|\u5e7f\u544a|\u63a8\u5e7f)$/i;

/** A label with more text, in Latin characters, is none. */
const LONGEST_LABEL = 100;

/** An article quotes posts of social media. */
const QUOTING_NAME = /embed|tweet|quote/;

const HEADING = /^h[1-6]$/;
/** Elements that hold together: one part of them is no article. */
const UNDIVIDED = /^(?:[uod]l|blockquote|p|pre)$/;
/** Elements that authors write, and templates mostly with a class. */
const WRITTEN = /^(?:[uod]l|blockquote|p|pre|table)$/;

/** The types that `ld+json` of an article, and of something that is sold, names. */
const ARTICLE_TYPE = /"@type"\s*:\s*"(?:\w{0,30}Article|BlogPosting)"/;
const PRODUCT_TYPE = /"@type"\s*:\s*"(?:Product|ProductGroup)"/;

/** How many characters of Latin text say as much as one of Chinese. */
const CJK_WEIGHT = 3;

/** The length below which a text is a label rather than a sentence. */
const SHORTEST_PROSE = 50;

/** The length below which prose is no answer either. */
const SHORTEST_SENTENCE = 15;

/**
 * The least prose of an article: on a page that says itself that it is one, on any other, and on a Chinese page with the
 * title of the page above it, as short notices have it.
 */
const SHORTEST_ARTICLE = { declared: 200, undeclared: 700, titled: 300 };

/** Characters of a title that are no chance. */
const SHORTEST_TITLE = 5;

const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Signs between the title of an article and the name of its site. */
const TITLE_END = /^\s*(?:$|[-_|\u2013\u2014\u00b7:\uff1a\uff5c\u300a\u3010<>,\uff0c(\uff08])/;

/** Whether the title of a page is a text, or begins with it. */
function isTitleOf(text: string, title: string): boolean {
	if (text.length < SHORTEST_TITLE || !title.startsWith(text)) return false;
	return TITLE_END.test(title.slice(text.length));
}

const MARKS = new Set([...',.;:!?，。、；：！？…'].map((mark) => mark.charCodeAt(0)));

/** The length of a text with white space collapsed, in Latin characters, and how many punctuation marks it has. */
function measure(text: string): { length: number; marks: number } {
	let length = 0;
	let marks = 0;
	let isSpace = true;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit <= 0x20 || unit === 0xa0 || unit === 0x3000) {
			if (!isSpace) length += 1;
			isSpace = true;
			continue;
		}
		isSpace = false;
		length += unit >= 0x3040 && unit <= 0xd7af ? CJK_WEIGHT : 1;
		if (MARKS.has(unit)) marks += 1;
	}
	return { length, marks };
}

/** An element and what can be read in it, measured in Latin characters. */
class Part {
	readonly children: Part[] = [];

	length = 0;

	/** How much of it leads elsewhere. */
	linked = 0;

	/** How much of it is sentences. */
	prose = 0;

	/** How much of it, besides prose, belongs to an article: headings, what has no class. */
	neutral = 0;

	/** Whether it is a list of records itself. */
	isList = false;

	/** How much prose is in records: a list of posts, reviews, teasers. */
	records = 0;

	/** Whether there is a sentence in it, however short. */
	hasSentence = false;

	isLeftOut = false;

	/** The nearest element that begins a new line, and what stands in that without such an element between. */
	readonly block: Part;

	own = { length: 0, linked: 0, marks: 0 };

	readonly isLink: boolean;

	constructor(
		readonly element: Element,
		readonly parent?: Part,
	) {
		const { name, attribs } = element;
		this.block = parent === undefined || isBlock(element) ? this : parent.block;
		this.isLink = parent?.isLink === true || (name === 'a' && attribs.href !== undefined);
		parent?.children.push(this);
	}

	get unlinked(): number {
		return this.length - this.linked;
	}

	get shownChildren(): Part[] {
		return this.children.filter(({ isLeftOut, length }) => !isLeftOut && length > 0);
	}

	get isSurrounding(): boolean {
		const { name, attribs } = this.element;
		return SURROUNDINGS.has(name) || SURROUNDING_ROLES.has(attribs.role ?? '');
	}

	/** Classes and ID as words: `relatedPosts` as `related-posts`. */
	private get names(): string {
		const { class: names = '', id = '' } = this.element.attribs;
		const all = `${names.slice(0, 300)} ${id.slice(0, 100)}`;
		return all.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
	}

	/** Whether its classes and ID say that it surrounds the content. */
	get isNamedSurrounding(): boolean {
		const { names, element, parent } = this;
		// The text of a picture is a part of the article
		if (element.name === 'figcaption' || /^fig/.test(parent?.element.name ?? '')) return false;
		return SURROUNDING_NAME.test(names) && !QUOTING_NAME.test(names);
	}

	/** Whether it is a label or a few links, and is named so. */
	get isLabel(): boolean {
		if (this.hasSentence || this.unlinked >= LONGEST_LABEL) return false;
		if (this.isLine && ADVERTISEMENT.test(textOf(this.element))) return true;
		// A heading belongs to the article, whatever box a page builder puts around it
		return LABEL_NAME.test(this.names) && !beginsWithHeading(this);
	}

	/** Whether it is a line of its own. */
	private get isLine(): boolean {
		return isBlock(this.element) && this.own.length === this.length && this.length > 0;
	}

	/** Whether it is a line of its own with the title of the page. */
	isTitle(title: string): boolean {
		const { isLine, isLeftOut, element, unlinked } = this;
		const isShort = unlinked >= SHORTEST_TITLE && unlinked <= CJK_WEIGHT * title.length;
		return !isLeftOut && isLine && isShort && isTitleOf(textOf(element), title);
	}

	get isWritten(): boolean {
		const { name, attribs } = this.element;
		return WRITTEN.test(name) && attribs.class === undefined && attribs.id === undefined;
	}

	/** Siblings with the same one look alike. */
	get kind(): string {
		return `${this.element.name}.${(this.element.attribs.class ?? '').split(' ', 1)[0]}`;
	}

	add(text: string): void {
		const { length, marks } = measure(text);
		const { own } = this.block;
		this.length += length;
		own.length += length;
		if (!this.isLink) own.marks += marks;
		else {
			this.linked += length;
			own.linked += length;
		}
	}

	/** Adds what it holds to its parent, after that of all its children. */
	sumUp(): void {
		const { parent, own, element } = this;
		const unlinked = own.length - own.linked;
		if (HEADING.test(element.name)) {
			this.neutral = this.unlinked;
			this.prose = 0;
		} else if (unlinked >= SHORTEST_PROSE && own.marks > 0 && unlinked > own.linked) {
			this.prose += own.length;
		} else if (this.isWritten) {
			this.neutral = this.unlinked - this.prose;
		}
		this.hasSentence ||= own.marks > 0 && unlinked >= SHORTEST_SENTENCE && unlinked > own.linked;
		if (parent === undefined) return;
		parent.hasSentence ||= this.hasSentence;
		parent.count(this, 1);
	}

	count(part: Part, sign: 1 | -1): void {
		this.length += sign * part.length;
		this.linked += sign * part.linked;
		this.prose += sign * part.prose;
		this.neutral += sign * part.neutral;
	}

	/** Takes it off what all that hold it have. */
	leaveOut(): void {
		this.isLeftOut = true;
		for (let { parent }: Part = this; parent !== undefined; parent = parent.parent) {
			parent.count(this, -1);
		}
	}

	/** Counts the prose in siblings that look alike and have more than that each, such as who wrote it. */
	countRecords(): void {
		if (this.prose === 0) return;
		const alike = new Map<string, Part[]>();
		for (const child of this.shownChildren) {
			const siblings = alike.get(child.kind);
			if (siblings === undefined) alike.set(child.kind, [child]);
			else siblings.push(child);
		}
		for (const siblings of alike.values()) {
			const mixed = siblings.filter(
				({ length, prose, neutral, children, hasSentence }) =>
					(prose > 0 || hasSentence) &&
					length - prose - neutral >= 5 &&
					children.some(({ element }) => isBlock(element)),
			);
			const areRecords =
				mixed.length >= 3 && mixed.length >= 0.6 * siblings.filter(({ prose }) => prose > 0).length;
			this.isList ||= areRecords;
			for (const { prose, records } of siblings) this.records += areRecords ? prose : records;
		}
	}
}

/** The nodes of a page that are read, and those that are left out. */
type ReadNodes = Omit<ShownNodes, 'contentLength'>;

/** Whether `og:type`, or the type of `ld+json`, says what the page is about. */
function declares({ name, attribs, children }: Element, ogType: RegExp, type: RegExp): boolean {
	if (name === 'meta') return attribs.property === 'og:type' && ogType.test(attribs.content ?? '');
	const isData = name === 'script' && attribs.type === 'application/ld+json';
	return isData && children.some((node) => isTextNode(node) && type.test(node.data));
}

/**
 * @param parts each before what it holds
 * @returns the outermost elements of those that were left out
 */
async function leaveOut(
	parts: readonly Part[],
	isOut: (part: Part) => boolean,
	pause: Pause,
): Promise<Element[]> {
	const leftOut: Element[] = [];
	for (const part of parts) {
		await pause();
		if (part.parent === undefined || part.isLeftOut) continue;
		if (part.parent.isLeftOut) part.isLeftOut = true;
		else if (isOut(part)) {
			part.leaveOut();
			leftOut.push(part.element);
		}
	}
	return leftOut;
}

/** The parts of a page, each before what it holds, from the body on; empty for a document without one. */
async function partsOf({ nodes, holders, leftOut }: ReadNodes, pause: Pause): Promise<Part[]> {
	const partOf = new Map<AnyNode, Part>();
	for (const [at, node] of nodes.entries()) {
		await pause();
		if (at === 0 || leftOut.has(node) || isNoscript(node)) continue;
		const around = partOf.get(nodes[holders[at]]);
		if (isTextNode(node)) around?.add(node.data);
		else if (isElement(node)) {
			const isRead =
				around === undefined ? partOf.size === 0 && node.name === 'body' : !UNREAD.has(node.name);
			if (isRead) partOf.set(node, new Part(node, around));
		}
	}
	const parts = [...partOf.values()];
	for (const part of [...parts].reverse()) {
		part.sumUp();
		await pause();
	}
	return parts;
}

function isArticleBody({ attribs }: Element): boolean {
	return attribs.itemprop !== undefined && /\barticleBody\b/i.test(attribs.itemprop);
}

/** Whether a page says itself that it is an article, or about something that is sold. */
async function kindOf({ nodes }: ReadNodes, pause: Pause) {
	let isArticle = false;
	let isProduct = false;
	for (const node of nodes) {
		await pause();
		if (!isElement(node)) continue;
		isArticle ||= declares(node, /^article$/i, ARTICLE_TYPE) || isArticleBody(node);
		isProduct ||=
			declares(node, /^product\b/i, PRODUCT_TYPE) ||
			/schema\.org\/Product$/i.test(node.attribs.itemtype ?? '');
	}
	return { isArticle, isProduct };
}

/** The part that holds most of the prose, and little else; within what the page itself calls so, where it does. */
function articleIn(body: Part, parts: readonly Part[]): Part {
	const fewest = Math.max(SHORTEST_ARTICLE.declared, 0.25 * body.prose);
	const marked = parts.find(
		({ element, isLeftOut, prose }) => !isLeftOut && isArticleBody(element) && prose >= fewest,
	);
	let article = marked ?? body;
	for (;;) {
		const { shownChildren, prose, records } = article;
		// Of a list of posts, the list; of an article and a list of others, the article
		const isList = records > 0.6 * prose;
		const valueOf = (part: Part) => part.prose - (isList ? 0 : part.records);
		const [first, ...others] = shownChildren;
		if (first === undefined || (isList && article.isList)) return article;
		const best = others.reduce(
			(most, part) => (valueOf(part) > valueOf(most) ? part : most),
			first,
		);
		const isMost = valueOf(best) >= 0.7 * valueOf(article);
		if (!isMost || UNDIVIDED.test(best.element.name)) return article;
		article = best;
	}
}

/** Whether a part begins with a heading, which may stand in an element of its own. */
function beginsWithHeading({ element, shownChildren }: Part): boolean {
	const [first] = shownChildren;
	if (first === undefined) return false;
	if (HEADING.test(first.element.name)) return true;
	return element.name !== 'a' && first.prose === 0 && beginsWithHeading(first);
}

/** The least prose of a section of an article. */
const SHORTEST_SECTION = 150;

/**
 * Sections of an article besides the one that holds most of it: they begin with headings, and stand in one element with it
 * that says that it is an article, or the main part of the page.
 */
function sectionsBeside(article: Part): Part[] {
	let whole: Part | undefined = article;
	while (whole !== undefined && !/^(?:article|main)$/.test(whole.element.name))
		whole = whole.parent;
	const sections: Part[] = [];
	for (let part = article; whole !== undefined && part !== whole; ) {
		const { parent } = part;
		if (parent === undefined) break;
		for (const sibling of parent.shownChildren) {
			const { prose, records, linked, length } = sibling;
			const isText = prose >= SHORTEST_SECTION && records <= 0.5 * prose && linked <= 0.3 * length;
			if (sibling !== part && isText && beginsWithHeading(sibling)) sections.push(sibling);
		}
		part = parent;
	}
	return sections;
}

/** Whether a part interrupts an article: a form, or a list of links. */
function isInterruption({ element, length, linked, prose }: Part, article: Part): boolean {
	const { name } = element;
	if (name === 'form') return prose < 0.2 * article.prose;
	if (prose > 0 || !isBlock(element) || name === 'li' || HEADING.test(name)) return false;
	return linked > (name === 'p' ? 0.9 : 0.5) * length;
}

/** The headings right above elements that are left out, which belong to these. */
function headingsAbove(elements: readonly Element[]): AnyNode[] {
	return elements.flatMap((element) => {
		let node = element.prev;
		while (node !== null && isTextNode(node) && node.data.trim() === '') node = node.prev;
		return node !== null && isElement(node) && /^h[2-6]$/.test(node.name) ? [node] : [];
	});
}

/** The main content of a page, by what is left out for it. */
export interface MainContent {
	/** The outermost nodes to leave out. */
	readonly leftOut: ReadonlySet<AnyNode>;
	/** Headings that repeat the page's title. */
	readonly titles: readonly AnyNode[];
	/** How much of the page's text stays, from 0 to 1. */
	readonly share: number;
}

/**
 * Share of a page about something that is sold that stays without what is named a surrounding, or that is kept as well.
 * Chosen on one half of the sample pages, and measured on the other.
 */
const MOST_OF_PRODUCT = 0.5;

/** A page with more text, in Latin characters, has a main content that is more than a twentieth of it. */
const LONG_PAGE = { length: 500, leastShare: 0.05 };

const WHOLE_PAGE: MainContent = { leftOut: new Set(), titles: [], share: 1 };

/**
 * The page without the surroundings of its main content: of an article, nothing but the article; of any other
 * page, such as a list or a forum, everything but navigation and the like.
 *
 * @param shown what is shown of the page
 */
export async function mainContentOf(
	{ title }: Pick<HtmlPage, 'title'>,
	shown: ReadNodes,
	pause: Pause,
): Promise<MainContent> {
	const parts = await partsOf(shown, pause);
	const [body] = parts;
	if (body === undefined || body.length === 0) return WHOLE_PAGE;
	const { isArticle, isProduct } = await kindOf(shown, pause);
	const all = { length: body.length, prose: body.prose };
	const main = (length: number, ...leftOut: ReadonlyArray<readonly AnyNode[]>): MainContent => {
		const share = length / all.length;
		const isTooLittle = all.length > LONG_PAGE.length && share < LONG_PAGE.leastShare;
		return isTooLittle ? WHOLE_PAGE : { leftOut: new Set(leftOut.flat()), titles: [], share };
	};
	const isArticleItself = ({ element, prose }: Part) =>
		element.name === 'header' && prose >= 500 && prose > 0.6 * all.prose;
	const isAround = (part: Part) => part.isSurrounding && !isArticleItself(part);
	const surroundings = await leaveOut(parts, isAround, pause);
	const plain = { length: body.length, unlinked: body.unlinked };
	const isNamed = (part: Part) =>
		part.isLabel || (part.isNamedSurrounding && part.unlinked < 0.4 * plain.unlinked);
	const named = await leaveOut(parts, isNamed, pause);
	for (const part of [...parts].reverse()) {
		part.countRecords();
		await pause();
	}
	const article = articleIn(body, parts);
	const { prose, records, unlinked } = article;
	const headings: Part[] = [];
	for (const part of parts) {
		if (part.isTitle(title)) headings.push(part);
		await pause();
	}
	const isAboutTitle = CJK.test(title) && headings.length > 0 && unlinked >= 0.5 * plain.unlinked;
	const isLongEnough = isArticle
		? prose >= SHORTEST_ARTICLE.declared
		: !isProduct &&
			((prose >= SHORTEST_ARTICLE.undeclared && unlinked >= 0.4 * plain.unlinked) ||
				(isAboutTitle && prose >= SHORTEST_ARTICLE.titled));
	if (!isLongEnough || records > 0.5 * prose) {
		const isMostly = isProduct && body.unlinked >= MOST_OF_PRODUCT * plain.unlinked;
		return isMostly ? main(body.length, surroundings, named) : main(plain.length, surroundings);
	}
	const sections = sectionsBeside(article);
	const inside = new Set([article, ...sections]);
	const isInterrupting = (part: Part) => {
		if (part.parent === undefined || !inside.has(part.parent)) return false;
		if (part.isWritten && part.element.name !== 'p') return false;
		inside.add(part);
		return isInterruption(part, article);
	};
	const interruptions = await leaveOut(parts, isInterrupting, pause);
	const kept = new Set<AnyNode>(sections.map(({ element }) => element));
	const others: AnyNode[][] = [];
	for (let part = article; part.parent !== undefined; part = part.parent) {
		const { element } = part;
		const siblings = childrenOf(part.parent.element);
		others.push(siblings.filter((node) => node !== element && !kept.has(node)));
	}
	const titles = headings.map(({ element }) => element);
	const length = sections.reduce((sum, section) => sum + section.length, article.length);
	const leftOut = [surroundings, named, interruptions, headingsAbove(interruptions)];
	const content = main(length, ...leftOut, ...others);
	return content === WHOLE_PAGE ? content : { ...content, titles };
}

/** The content of a page that is read. */
export interface ReadContent {
	readonly shown: ShownNodes;
	/** The parts that are not wanted, whether they are shown or not. */
	readonly unwanted: ReadonlySet<AnyNode>;
	/** Share of the text that is the main content; undefined where not only that is wanted. */
	readonly share?: number;
}

/**
 * Finds what is read of a page.
 *
 * @param selectors CSS selectors of parts that are not wanted
 */
export async function readContent(
	page: HtmlPage,
	selectors: readonly string[],
	mainContentOnly: boolean,
	pause: Pause,
): Promise<ReadContent> {
	const { document, isXml } = page;
	const unwanted = new Set<AnyNode>();
	const picks = selectors.map((selector) => compileSelector(selector, isXml));
	for (const element of picks.length > 0 ? elementsOf(document) : []) {
		if (picks.some((matches) => matches(element))) unwanted.add(element);
		await pause();
	}
	const shown = await findShownNodes(document, pause, unwanted);
	if (!mainContentOnly || isXml) return { shown, unwanted };
	const { leftOut, titles, share } = await mainContentOf(page, shown, pause);
	return {
		// Markdown begins with the title; HTML has it in its head alone
		shown: { ...shown, leftOut: new Set([...shown.leftOut, ...leftOut, ...titles]) },
		unwanted: new Set([...unwanted, ...leftOut]),
		share,
	};
}
