import type { AnyNode, Element } from 'domhandler';

import { shortLine } from '../../../shared/fields/field';
import { eventLoopYielder } from '../../../shared/api/wait';
import { compileSelector, type HtmlPage } from './html';
import { spelled } from './pickedFields';
import {
	childrenOf,
	elementsOf,
	exactText,
	isElement,
	isTextNode,
	labelOf,
	linkUrl,
	textOf,
	type AddressContext,
	type Pause,
} from './tree';

/** The link to the page that follows in a list, as far as a page has one. */
export interface NextLink {
	/** Its address; undefined for none. */
	readonly url?: string;
	/** Names of links none of which is the next page's; undefined where it is clear that no page follows. */
	readonly unclear?: readonly string[];
	/** Addresses by which the page leads to itself. */
	readonly own: readonly string[];
}

/** The address of a link to another page; undefined for one that leads to none. */
export function listedPageUrl(href: string, page: AddressContext): string | undefined {
	const address = href.trim();
	if (address === '' || address.startsWith('#')) return undefined;
	const url = linkUrl(address, page);
	return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

/** One spelling of an address, by which pages of a list are told apart. */
export function keyOf(url: string): string {
	return spelled(url.replace(/#.*$/s, ''));
}

/** A name with more is a sentence, such as the title of an article. */
const LONGEST_LINK_NAME = 40;

/** Names of links to the page that follows, in the most usual languages of the web. Blogs begin with what is new. */
const NEXT_NAME =
	/^(?:next(?: page)?|older(?: (?:posts|entries|articles))?|(?:load |show )?more(?: results)?|下一?[页頁]|[后後]一?[页頁]|(?:加载|查看|載入)更多|次(?:へ|の?ページ)?|もっと見る|다음(?: ?페이지)?|더보기|weiter|nächste(?: seite)?|ältere beiträge|mehr laden|(?:page )?suivante?|voir plus|(?:página )?siguientes?|cargar más|(?:página )?(?:próxim[oa]|seguinte)|(?:pagina )?successiv[ao]|avanti|volgende(?: pagina)?|następna(?: strona)?|dalej|následující|další|следующ(?:ая|ий)(?: страница)?|далее|вперёд|вперед|наступна|далі|sonraki(?: sayfa)?|ileri|nästa(?: sida)?|næste(?: side)?|neste(?: side)?|seuraava|tiếp(?: theo)?|trang sau|berikutnya|selanjutnya|következő|următo(?:area|rul)|следващ[аи]|slj?edeć[ai]|ďalš(?:ia|ie|í)|επόμεν[ηο]|(?:الصفحة )?التالي(?:ة)?|بعدی|הבא|ถัดไป|अगला)$/;

/** Words of a longer name of such a link, as in "Go to next page, page 3". */
const NEXT_WORDS =
	/\b(?:next|older|load more|show more|weiter|suivante?|siguiente|seguinte|volgende|sonraki)\b|下一?[页頁]|[后後]一?[页頁]|加载更多|次の|다음|nächste|следующ/;

/** Names of links to the pages before. */
const BACK_NAME =
	/\b(?:prev(?:ious)?|newer|first|back|zurück|anterior|vorige|önceki|geri)\b|[上前]一?[页頁]|首[页頁]|返回|前へ|前の|이전|vorherige|précédent|precedente|poprzedni|předchozí|назад|предыдущ/;

/** An arrow is the whole name. The double one often leads to the last page. */
const ARROW = /^[›>→▶▸►❯⟩〉➔➜➡⇒]\uFE0F?$/u;
const DOUBLE_ARROW = /^(?:»|≫|》|>>|››)$/;
const BACK_ARROW = /^(?:[‹«<←◀◂◄❮⟨〈《≪⇐⬅]|<<|‹‹|[|«<]+)\uFE0F?$/u;

const NEXT_CLASS =
	/^(?!nav-next$|.*jump-)(?:.*[-_])?(?:next|nxt|older)(?:[-_](?:page|posts?|link|btn|button|arrow|item))?$/i;
/** In archives of WordPress, whatever the language: older posts follow, and `nav-next` leads to newer ones. */
const OLDER_CLASS = /^nav-previous$/;
const DISABLED_CLASS = /(?:^|[-_])disabled$/i;
const PRESENT_CLASS =
	/^(?:is-)?(?:active|current|curr?|selected|on|this|now)$|[-_](?:active|current|selected)$/i;

/** The number of a page, alone or in brackets. */
const PAGE_NUMBER = /^[\s[({.·|-]{0,5}(\d{1,7})[\s\])}.·|-]{0,5}$/;

/** Links of a pager that are looked at. */
const MOST_LINKS_OF_PAGER = 5000;

function comparableName(name: string): string {
	const words = name.slice(0, 200).normalize('NFKC').toLowerCase();
	return words.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}

function tokensOf(value = ''): readonly string[] {
	return value.slice(0, 2000).toLowerCase().split(/\s+/);
}

/** A link, or a number or name without one, as a pager shows it. */
interface Shown {
	/** The label, which says more than "»", and the text, in one spelling. */
	readonly names: readonly string[];
	readonly number?: number;
	/** Its element, and those around it that hold nothing else. */
	readonly around: readonly Element[];
}

function hasName({ names }: Shown, pattern: RegExp): boolean {
	return names.some((name) => pattern.test(name) || pattern.test(comparableName(name)));
}

function isBack(shown: Shown): boolean {
	return hasName(shown, BACK_NAME) || hasName(shown, BACK_ARROW);
}

function isClassed({ around }: Shown, pattern: RegExp): boolean {
	return around.some(({ attribs }) => tokensOf(attribs.class).some((name) => pattern.test(name)));
}

/** Signs that something leads to the next page, the surest first. */
const SIGNS: ReadonlyArray<(shown: Shown) => boolean> = [
	({ around }) => around.some(({ attribs }) => tokensOf(attribs.rel).includes('next')),
	(shown) => hasName(shown, NEXT_NAME),
	(shown) =>
		shown.names.every(({ length }) => length <= LONGEST_LINK_NAME) &&
		!isBack(shown) &&
		hasName(shown, NEXT_WORDS),
	(shown) => hasName(shown, ARROW),
	(shown) => hasName(shown, DOUBLE_ARROW),
	(shown) => shown.number === undefined && !isBack(shown) && isClassed(shown, NEXT_CLASS),
	(shown) => isClassed(shown, OLDER_CLASS),
];

/** How many of `SIGNS` never stand for a jump over several pages, as "Next 10 pages" and » do. */
const SURE_SIGNS = 2;

/** A part of a pager: a link, or a number or name without one. */
interface PagerEntry {
	readonly name: string;
	/** Undefined where it leads nowhere. */
	readonly url?: string;
	readonly number?: number;
	/** The index of the first of `SIGNS` that it has; -1 for none. */
	readonly sign: number;
	readonly isLinked?: boolean;
	readonly isBack: boolean;
	/** Whether it says that it stands for the page that is shown. */
	readonly isPresent: boolean;
}

/** Nodes beside a link that are looked at: a page may have a hundred thousand. */
const MOST_BESIDE_LINK = 20;

/** The element and those around it that hold nothing else, at most two, within the pager. */
function aroundOf(element: Element, pager: Element): Element[] {
	const around = [element];
	for (let { parentNode } = element; around.length < 3; parentNode = parentNode.parentNode) {
		if (parentNode === null || parentNode === pager || !isElement(parentNode)) break;
		const [inner] = around.slice(-1);
		const isOther = (node: AnyNode) =>
			node !== inner && (isElement(node) || (isTextNode(node) && node.data.trim() !== ''));
		if (parentNode.children.slice(0, MOST_BESIDE_LINK).some(isOther)) break;
		around.push(parentNode);
	}
	return around;
}

function entryOf(
	name: string,
	label: string,
	around: readonly Element[],
	url?: string,
): PagerEntry {
	const names = [label, name].map((each) => each.slice(0, 200).trim().normalize('NFKC'));
	const [, digits] = PAGE_NUMBER.exec(names[1]) ?? [];
	const shown = { names, number: digits === undefined ? undefined : Number(digits), around };
	const isDisabled = ({ attribs }: Element) => attribs['aria-disabled'] === 'true';
	const isDead = around.some(isDisabled) || isClassed(shown, DISABLED_CLASS);
	const isCurrent = ({ attribs }: Element) => !/^(?:false)?$/.test(attribs['aria-current'] ?? '');
	return {
		name: shortLine(name || label) || (url ?? ''),
		url: isDead ? undefined : url,
		number: shown.number,
		sign: SIGNS.findIndex((isSign) => isSign(shown)),
		isBack: isBack(shown),
		isPresent: around.some(isCurrent) || (digits !== undefined && isClassed(shown, PRESENT_CLASS)),
	};
}

function isLink({ name, attribs }: Element): boolean {
	return /^(?:a|area|link)$/.test(name) && attribs.href !== undefined;
}

/**
 * Reads a pager in the order of the page.
 *
 * @param links those that count; all of them where it is empty
 */
async function entriesIn(
	pager: Element,
	links: ReadonlySet<AnyNode>,
	page: HtmlPage,
	pause: Pause,
): Promise<PagerEntry[]> {
	const entries: PagerEntry[] = [];
	const waiting: AnyNode[] = [pager];
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		await pause();
		if (entries.length >= MOST_LINKS_OF_PAGER) break;
		if (isElement(node) && isLink(node)) {
			if (links.size > 0 && !links.has(node)) continue;
			const url = listedPageUrl(node.attribs.href, page);
			const entry = entryOf(textOf(node), labelOf(node), aroundOf(node, pager), url);
			entries.push({ ...entry, isLinked: true });
			continue;
		}
		if (isElement(node) && /^(?:script|style|select|noscript)$/.test(node.name)) continue;
		const { parentNode } = node;
		const text = isTextNode(node) && node.data.length <= LONGEST_LINK_NAME ? node.data.trim() : '';
		if (text !== '' && parentNode !== null && isElement(parentNode)) {
			const entry = entryOf(text, '', aroundOf(parentNode, pager));
			if (entry.number !== undefined || entry.sign >= 0) entries.push(entry);
		}
		const children = childrenOf(node);
		for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at]);
	}
	return entries;
}

/** The index of the entry of the page that is shown; -1 where none says so. */
function presentAt(entries: readonly PagerEntry[], ownKey: string): number {
	const isBeside = (index: number, number: number) =>
		[entries[index - 1], entries[index + 1]].some(
			(near) => Math.abs((near?.number ?? NaN) - number) === 1,
		);
	const signs: Array<(entry: PagerEntry, index: number) => boolean> = [
		({ isPresent }) => isPresent,
		// Other numbers may stand there, too, such as how many there are
		({ isLinked, number }, index) =>
			isLinked !== true && number !== undefined && isBeside(index, number),
		({ url, number }) => number !== undefined && url !== undefined && keyOf(url) === ownKey,
	];
	return signs.map((isSign) => entries.findIndex(isSign)).find((index) => index >= 0) ?? -1;
}

/** The next page by the entries of a pager. */
function nextOf(entries: readonly PagerEntry[], ownKey: string): NextLink {
	const present = presentAt(entries, ownKey);
	const own = [entries[present]?.url].filter((url) => url !== undefined);
	const signed = entries.filter(({ sign }) => sign >= 0);
	const [named] = signed
		.filter(({ url }) => url !== undefined)
		.sort((one, other) => one.sign - other.sign);
	const behind = entries.slice(present + 1);
	const { number } = entries[present] ?? {};
	const numbered = behind.find((entry) => entry.number !== undefined);
	const following = number !== undefined && numbered?.number === number + 1 ? numbered : undefined;
	if (named !== undefined) {
		return { url: named.sign < SURE_SIGNS ? named.url : (following?.url ?? named.url), own };
	}
	if (number !== undefined) return { url: following?.url, own };
	if (present >= 0) return { url: behind.find((entry) => !entry.isBack)?.url, own };
	if (signed.length > 0) return { own };
	const others = entries.filter((entry) => entry.url !== undefined && !entry.isBack);
	if (new Set(others.map(({ url }) => url)).size < 2) return { url: others[0]?.url, own };
	return { unclear: [...new Set(others.map(({ name }) => name))], own };
}

/** The outermost elements that a selector picks, and the first ones of them if they are too many. */
async function pickedBy(page: HtmlPage, selector: string, pause: Pause): Promise<Element[]> {
	const picks = compileSelector(selector, page.isXml);
	const picked: Element[] = [];
	const within = new Set<AnyNode>();
	for (const element of elementsOf(page.document)) {
		await pause();
		const isWithin = element.parentNode !== null && within.has(element.parentNode);
		if (!isWithin && picks(element)) picked.push(element);
		if (isWithin || picked.at(-1) === element) within.add(element);
		if (picked.length >= MOST_LINKS_OF_PAGER) break;
	}
	return picked;
}

function ancestorsOf(element: Element): Element[] {
	const ancestors: Element[] = [];
	for (let node = element.parentNode; node !== null; node = node.parentNode) {
		if (isElement(node)) ancestors.push(node);
	}
	return ancestors;
}

/** The address that the head of a page says is its own; undefined for none. */
export function canonicalOf(page: HtmlPage): string | undefined {
	for (const { name, attribs } of elementsOf(page.document)) {
		if (name === 'body') break;
		if (name === 'link' && tokensOf(attribs.rel).includes('canonical')) {
			return listedPageUrl(attribs.href ?? '', page);
		}
	}
	return undefined;
}

/**
 * The link to the page that follows in a list.
 *
 * @param selector of the link, or of what holds it
 * @param url the address of the page
 * @returns undefined where the selector picks nothing
 */
export async function nextLinkOf(
	page: HtmlPage,
	selector: string,
	url: string,
): Promise<NextLink | undefined> {
	const pause = eventLoopYielder();
	const picked = await pickedBy(page, selector, pause);
	const [first, second] = picked;
	if (first === undefined) return undefined;
	if (page.isXml)
		return { url: listedPageUrl(first.attribs.href ?? exactText(first), page), own: [] };
	const canonical = canonicalOf(page);
	const known = canonical === undefined ? [] : [canonical];
	const areLinks = picked.every(isLink);
	const urls = new Set(
		picked.flatMap(({ attribs }) => listedPageUrl(attribs.href ?? '', page) ?? []),
	);
	// Whoever picks one link means it, whatever its name
	if (areLinks && urls.size < 2) return { url: [...urls][0], own: known };
	// Several links stand in one pager, of which there may be two
	const others = new Set(areLinks && second !== undefined ? ancestorsOf(second) : []);
	const pager = ancestorsOf(first).find((element) => others.has(element)) ?? first;
	const links = new Set<AnyNode>(areLinks ? picked : []);
	const found: NextLink[] = [];
	for (const each of areLinks ? [pager] : picked) {
		found.push(nextOf(await entriesIn(each, links, page, pause), keyOf(url)));
		if (found.at(-1)?.url !== undefined) break;
	}
	const best = found.find((next) => next.url !== undefined) ?? found.find((next) => next.unclear);
	return { ...best, own: [...known, ...found.flatMap(({ own }) => own)] };
}
