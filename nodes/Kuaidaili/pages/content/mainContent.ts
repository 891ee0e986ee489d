import type { AnyNode, Element } from 'domhandler';

import { compileSelector, type HtmlPage } from './html';
import { shownByScripts, type HiddenPart } from './shownNodes';
import { childrenOf, elementsOf, isBlock, isElement, isTextNode, type Pause } from './tree';

/** Elements whose text nobody reads as a part of the page. */
const UNREAD = new Set(
	'head script style template noscript svg canvas iframe object embed audio video button select input textarea datalist'.split(
		' ',
	),
);

const HIDDEN_PARTS = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Elements and roles that say themselves that they surround the content. */
const SURROUNDING_TAGS = new Set(['nav', 'header', 'footer', 'aside']);
const SURROUNDING_ROLES = new Set(
	'navigation banner contentinfo complementary search dialog alertdialog menu menubar'.split(' '),
);

/** Words in classes and IDs of what surrounds an article, or interrupts it. */
const SURROUNDING_NAME =
	/(?:^|[\s_-])(?:ads?|adv|advert\w*|aside|author|banner|bio|bread-?crumbs?|byline|captions?|comments?|cookies?|consent|copyright|credits?|disclaimer|disqus|footer|gallery|header|hidden|login|masthead|menu|meta|modal|most-?(?:read|popular|viewed)|nav\w*|newsletters?\w*|outbrain|overlay|pag(?:er|ination)|popular|popup|posted|print|promo\w*|rail|read-?more|recirc\w*|recommend\w*|related\w*|reply|respond|rss|shar(?:e|ing)\w*|side-?bar\w*|signup|skip\w*|social\w*|sponsor\w*|subscri\w*|taboola|tags?|teasers?|toolbar|tools|topics|trending|widgets?)(?=$|[\s_-])/;

/** An article quotes posts of social media. */
const QUOTING_NAME = /embed|tweet|quote/;

const HEADING = /^h[1-6]$/;
/** Elements that hold together: one part of them is no article. */
const UNDIVIDED = /^(?:[uod]l|blockquote|p|pre)$/;
/** Elements that authors write, and templates mostly with a class. */
const WRITTEN = /^(?:[uod]l|blockquote|p|pre|table)$/;

/** The type that `ld+json` of an article names. */
const ARTICLE_TYPE = /"@type"\s*:\s*"(?:\w{0,30}Article|BlogPosting)"/;

/** How many characters of Latin text say as much as one of Chinese. */
const CJK_WEIGHT = 3;

/** The length below which a text is a label rather than a sentence. */
const SHORTEST_PROSE = 50;

/** The length below which prose is no answer either. */
const SHORTEST_SENTENCE = 15;

/** The least prose of an article: on a page that says itself that it is one, and on any other. */
const SHORTEST_ARTICLE = { declared: 200, undeclared: 700 };

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

	/** How much of it, besides prose, belongs to an article: headings, pictures, what has no class. */
	neutral = 0;

	/** Whether it is a list of records itself. */
	isList = false;

	/** How much prose is in records: a list of posts, reviews, teasers. */
	records = 0;

	/** Whether its own text is prose. */
	isProse = false;

	/** Whether there is a sentence in it, however short. */
	hasSentence = false;

	isLeftOut = false;

	/** The nearest hidden part, itself or around it. */
	hiddenAround?: HiddenPart;

	/** Whether it is, or stands in, navigation and the like. */
	isAround = false;

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

	get shownChildren(): Part[] {
		return this.children.filter(({ isLeftOut, length }) => !isLeftOut && length > 0);
	}

	/** Classes and ID as words: `relatedPosts` as `related-posts`. */
	get names(): string {
		const { class: names = '', id = '' } = this.element.attribs;
		const all = `${names.slice(0, 300)} ${id.slice(0, 100)}`;
		return all.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
	}

	get isSurrounding(): boolean {
		const { name, attribs } = this.element;
		return SURROUNDING_TAGS.has(name) || SURROUNDING_ROLES.has(attribs.role ?? '');
	}

	get isNamedSurrounding(): boolean {
		const { names } = this;
		return SURROUNDING_NAME.test(names) && !QUOTING_NAME.test(names);
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
		if (HEADING.test(element.name) || element.name.startsWith('fig')) {
			this.neutral = this.length - this.linked;
			this.prose = 0;
		} else if (unlinked >= SHORTEST_PROSE && own.marks > 0 && unlinked > own.linked) {
			this.isProse = true;
			this.prose += own.length;
		} else if (this.isWritten) {
			this.neutral = this.length - this.linked - this.prose;
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
			const { kind } = child;
			const siblings = alike.get(kind);
			if (siblings === undefined) alike.set(kind, [child]);
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

function isArticleBody({ attribs }: Element): boolean {
	return attribs.itemprop !== undefined && /\barticleBody\b/i.test(attribs.itemprop);
}

function declaresArticle(element: Element): boolean {
	const { name, attribs, children } = element;
	if (name === 'head') return children.some((one) => isElement(one) && declaresArticle(one));
	if (name === 'meta') {
		return attribs.property === 'og:type' && attribs.content?.toLowerCase() === 'article';
	}
	if (name !== 'script') return isArticleBody(element);
	const isData = attribs.type === 'application/ld+json';
	return isData && children.some((node) => isTextNode(node) && ARTICLE_TYPE.test(node.data));
}

/** The type that `ld+json` of something that is sold names. */
const PRODUCT_TYPE = /"@type"\s*:\s*"(?:Product|ProductGroup)"/;

/** Whether an element says that the page is about something that is sold: its price and data are as good as its prose. */
function declaresProduct({ name, attribs, children }: Element): boolean {
	if (name === 'head') return children.some((one) => isElement(one) && declaresProduct(one));
	if (name === 'meta') {
		return attribs.property === 'og:type' && /^product\b/i.test(attribs.content ?? '');
	}
	if (/schema\.org\/Product$/i.test(attribs.itemtype ?? '')) return true;
	const isData = name === 'script' && attribs.type === 'application/ld+json';
	return isData && children.some((node) => isTextNode(node) && PRODUCT_TYPE.test(node.data));
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

/**
 * The body of a page and all its parts, each before what it holds; and whether the page says itself that it is an article,
 * or about something that is sold.
 *
 * @returns undefined for a document without a body
 */
async function readPage(document: AnyNode, ignored: ReadonlySet<AnyNode>, pause: Pause) {
	const elements = childrenOf(document).flatMap(childrenOf).filter(isElement);
	const top = elements.find(({ name }) => name === 'body');
	if (top === undefined) return undefined;
	let isDeclared = elements.some(declaresArticle);
	let isProduct = elements.some(declaresProduct);
	const body = new Part(top);
	const parts = [body];
	const hidden = new Map<Part, HiddenPart>();
	for (const part of parts) {
		await pause();
		for (const node of part.element.children) {
			if (isTextNode(node)) part.add(node.data);
			if (!isElement(node) || ignored.has(node)) continue;
			isDeclared ||= declaresArticle(node);
			isProduct ||= declaresProduct(node);
			if (UNREAD.has(node.name) || node.attribs.hidden !== undefined) continue;
			const child = new Part(node, part);
			parts.push(child);
			child.hiddenAround = part.hiddenAround;
			if (!HIDDEN_PARTS.test(node.attribs.style ?? '')) continue;
			child.hiddenAround = { around: part.hiddenAround, length: 0 };
			hidden.set(child, child.hiddenAround);
		}
	}
	for (const part of [...parts].reverse()) {
		part.sumUp();
		await pause();
	}
	if (hidden.size > 0) {
		let shownLength = body.length;
		for (const [{ length }, part] of hidden) {
			part.length += length;
			if (part.around === undefined) shownLength -= length;
			else part.around.length -= length;
		}
		for (const part of parts) {
			const isOutermost = part.isSurrounding && part.parent?.isAround !== true;
			part.isAround = part.isSurrounding || part.parent?.isAround === true;
			if (isOutermost && part.hiddenAround === undefined) shownLength -= part.length;
			await pause();
		}
		const shown = shownByScripts(hidden.values(), shownLength);
		const isUnread = (part: Part) => {
			const own = hidden.get(part);
			return own !== undefined && !shown.has(own);
		};
		await leaveOut(parts, isUnread, pause);
	}
	return { body, parts, isDeclared, isProduct };
}

/** The part that holds most of the prose, and little else. */
function articleIn(body: Part, parts: readonly Part[]): Part {
	const fewest = Math.max(SHORTEST_ARTICLE.declared, 0.25 * body.prose);
	let article = body;
	for (const part of parts) {
		const isMarked = !part.isLeftOut && isArticleBody(part.element) && part.prose >= fewest;
		if (isMarked && (article === body || part.prose > article.prose)) article = part;
	}
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

/** Nodes that interrupt an article: captions, and lists of links. */
function isInterruption({ element, length, linked, prose }: Part): boolean {
	const { name } = element;
	if (name === 'figcaption') return true;
	if (prose > 0 || !isBlock(element) || name === 'li' || HEADING.test(name)) return false;
	return linked > (name === 'p' ? 0.9 : 0.5) * length;
}

/** How far out of an article its first paragraph may stand. */
const LEAD_LEVELS = 2;

/** Words in classes and IDs of the first paragraph of an article. */
const LEAD_NAME =
	/(?:^|[\s_-])(?:abstract|chapo|deck?|excerpt|intro\w*|lead\w*|lede|preface|standfirst|summary)(?=$|[\s_-])/;

/** Whether it stands before an article as its first paragraph: nothing but prose, and less than the article. */
function isLead(part: Part, article: Part): boolean {
	const { isLeftOut, length, linked, prose, records } = part;
	if (isLeftOut || prose === 0 || records > 0 || !LEAD_NAME.test(part.names)) return false;
	return prose >= 0.8 * length && linked <= 0.1 * length && prose <= 0.5 * article.prose;
}

/** The main content of a page, by what is left out for it. */
export interface MainContent {
	/** The outermost nodes to leave out. */
	readonly leftOut: ReadonlySet<AnyNode>;
	/** How much of the page's text stays, from 0 to 1. */
	readonly share: number;
}

/**
 * The page without the surroundings of its main content: of an article, nothing but the article; of any other
 * page, such as a list or a forum, everything but navigation and the like.
 *
 * @param ignored what is left out anyway
 */
export async function mainContentOf(
	document: AnyNode,
	ignored: ReadonlySet<AnyNode>,
	pause: Pause,
): Promise<MainContent> {
	const page = await readPage(document, ignored, pause);
	if (page === undefined) return { leftOut: new Set(), share: 1 };
	const { body, parts, isDeclared, isProduct } = page;
	const { length: all, prose: allProse } = body;
	const isArticleItself = ({ prose }: Part) => prose >= 500 && prose > 0.5 * allProse;
	const isAround = (part: Part) => part.isSurrounding && !isArticleItself(part);
	const surroundings = await leaveOut(parts, isAround, pause);
	const plain = { length: body.length, linked: body.linked, prose: body.prose };
	const marked = new Set<Part>();
	for (let part of parts.filter(({ element }) => isArticleBody(element))) {
		for (; part.parent !== undefined && !marked.has(part); part = part.parent) marked.add(part);
	}
	const isNamed = (part: Part) =>
		part.isNamedSurrounding && part.prose < 0.4 * plain.prose && !marked.has(part);
	const leftOut = new Set<AnyNode>([...surroundings, ...(await leaveOut(parts, isNamed, pause))]);
	for (const part of [...parts].reverse()) {
		part.countRecords();
		await pause();
	}
	const article = articleIn(body, parts);
	const { length, linked, prose, records } = article;
	const isLongEnough = isDeclared
		? prose >= SHORTEST_ARTICLE.declared
		: !isProduct &&
			prose >= SHORTEST_ARTICLE.undeclared &&
			length - linked >= 0.4 * (plain.length - plain.linked) &&
			// Where there is little else, nothing is lost by keeping it
			length <= 0.85 * plain.length;
	if (!isLongEnough || records > 0.5 * prose) {
		return { leftOut: new Set(surroundings), share: all === 0 ? 1 : plain.length / all };
	}
	const inside = new Set([article]);
	const isInterrupting = (part: Part) => {
		if (part.parent === undefined || !inside.has(part.parent)) return false;
		const isTextNode = part.isWritten && part.element.name !== 'p';
		if (!isTextNode) inside.add(part);
		return !isTextNode && isInterruption(part);
	};
	for (const element of await leaveOut(parts, isInterrupting, pause)) leftOut.add(element);
	let keptLength = article.length;
	for (let part = article, level = 1; part.parent !== undefined; part = part.parent, level += 1) {
		const leads = new Map<AnyNode, Part>();
		for (const sibling of level > LEAD_LEVELS ? [] : part.parent.children) {
			if (sibling === part) break;
			if (isLead(sibling, article)) leads.set(sibling.element, sibling);
		}
		for (const lead of leads.values()) keptLength += lead.length;
		for (const node of part.parent.element.children) {
			if (node !== part.element && !leads.has(node)) leftOut.add(node);
		}
	}
	return { leftOut, share: keptLength / all };
}

/**
 * The parts to leave out of a page so that as much of it stays as is wanted.
 *
 * @param selectors CSS selectors of what is not wanted
 * @returns the nodes, and the share of the text that stays; undefined where not only the main content is wanted
 */
export async function findUnwanted(
	{ document, isXml }: HtmlPage,
	selectors: readonly string[],
	mainContentOnly: boolean,
	pause: Pause,
): Promise<Partial<MainContent> & Pick<MainContent, 'leftOut'>> {
	const leftOut = new Set<AnyNode>();
	const picks = selectors.map((selector) => compileSelector(selector, isXml));
	for (const element of picks.length > 0 ? elementsOf(document) : []) {
		if (picks.some((matches) => matches(element))) leftOut.add(element);
		await pause();
	}
	if (!mainContentOnly || isXml) return { leftOut };
	const main = await mainContentOf(document, leftOut, pause);
	return { leftOut: new Set([...leftOut, ...main.leftOut]), share: main.share };
}
