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
} from './tree';

/** The link to the page that follows in a list, as far as a page has one. */
export interface NextLink {
	/** Its address; undefined for none. */
	readonly url?: string;
	/** Names of links none of which is the next page's; undefined where it is clear that no page follows. */
	readonly unclear?: readonly string[];
	/** Addresses by which the page leads to itself. */
	readonly own: readonly string[];
	/** Addresses of links to the page before, and to the first one. */
	readonly back: readonly string[];
}

/** The address of a link to another page; undefined for one that leads to none. */
export function listedPageUrl(href: string, page: AddressContext): string | undefined {
	const address = href.trim();
	if (address === '' || address.startsWith('#')) return undefined;
	const url = linkUrl(address, page);
	return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}

/** A name without accents, capitals, and signs, so that it can be compared. */
function comparableName(name: string): string {
	return name
		.slice(0, 100)
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}

function comparableNames(words: string): readonly string[] {
	return words.split(',').map(comparableName);
}

/** Names of links to the page that follows, in the languages of the web. Blogs begin with what is new. */
const NEXT_NAMES = comparableNames(
	'next,next page,older,older posts,older entries,older articles,load more,show more,more results,more,' +
		'下一页,下页,后页,后一页,下一頁,下頁,後頁,後一頁,加载更多,查看更多,載入更多,' +
		'次へ,次のページ,次ページ,次,もっと見る,다음,다음 페이지,다음페이지,더보기,' +
		'weiter,nächste,nächste Seite,Seite vor,ältere Beiträge,mehr laden,suivant,suivante,page suivante,voir plus,' +
		'siguiente,página siguiente,siguientes,cargar más,próximo,próxima,próxima página,seguinte,página seguinte,' +
		'successivo,successiva,pagina successiva,avanti,prossimo,prossima,volgende,volgende pagina,' +
		'następna,następny,następna strona,dalej,další,další stránka,následující,ďalšia,ďalej,nasledujúca,' +
		'следующая,следующая страница,следующий,далее,вперёд,вперед,след,наступна,далі,следваща,' +
		'sonraki,sonraki sayfa,ileri,nästa,nästa sida,næste,næste side,neste,neste side,seuraava,seuraava sivu,' +
		'következő,következő oldal,tovább,următoarea,următor,înainte,επόμενη,επόμενο,επόμενη σελίδα,' +
		'tiếp,tiếp theo,trang sau,berikutnya,selanjutnya,seterusnya,ถัดไป,หน้าถัดไป,' +
		'التالي,التالية,الصفحة التالية,הבא,הדף הבא,بعدی,صفحه بعد,अगला,अगला पृष्ठ',
);

/** Names of links to the pages before. */
const BACK_NAMES = comparableNames(
	'previous,prev,previous page,prev page,newer,newer posts,newer entries,first,first page,back,' +
		'上一页,上页,前页,前一页,上一頁,上頁,首页,首頁,第一页,返回,前へ,前のページ,前,最初,最初へ,이전,처음,' +
		'zurück,vorherige,vorherige Seite,erste,erste Seite,précédent,précédente,page précédente,première,premier,' +
		'anterior,página anterior,primera,primero,primeira,precedente,prima,vorige,eerste,' +
		'poprzednia,pierwsza,předchozí,první,предыдущая,назад,первая,пред,попередня,' +
		'önceki,geri,ilk,föregående,forrige,edellinen,előző,trước,sebelumnya,ก่อนหน้า,السابق,הקודם,قبلی',
);

/** Names of links to the last page. */
const LAST_NAMES = comparableNames(
	'last,last page,末页,尾页,最后一页,末頁,尾頁,最後一頁,最後,最後へ,마지막,끝,letzte,letzte Seite,dernière,dernier,' +
		'dernière page,última,último,última página,ultima,laatste,ostatnia,poslední,последняя,son,son sayfa',
);

const isNextName = new Set(NEXT_NAMES);
const isBackName = new Set(BACK_NAMES);
const isLastName = new Set(LAST_NAMES);

/** Chinese, Japanese, and Thai write words without blanks between them. */
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]/u;

/** Whether one of the names stands in a longer one, as in "Go to next page, page 3". Short ones mean too much there. */
function holdsName(name: string, names: readonly string[]): boolean {
	const padded = ` ${name} `;
	return names.some((each) => {
		if (WITHOUT_BLANKS.test(each)) return each.length > 1 && name.includes(each);
		return each.length > 3 && padded.includes(` ${each} `);
	});
}

/** The longest name that may hold another one; longer ones are sentences, such as titles of articles. */
const LONGEST_LINK_NAME = 40;

const SINGLE_ARROW = /^[›>→▶▸►❯⟩〉⏵➔➜➡⇒]\uFE0F?$/u;
const DOUBLE_ARROW = /^(?:»|≫|⟫|》|⏩|>>|››)\uFE0F?$/u;
const BACK_ARROW = /^(?:[‹«<←◀◂◄❮⟨〈《⏴⏮≪⟪⇐⬅]|<<|‹‹|[|«<⏮]+)\uFE0F?$/u;
const LAST_ARROW = /^(?:[>»›]+\||⏭)\uFE0F?$/u;

/** A class by which a link, or what holds it alone, is the next one. */
const NEXT_CLASS =
	/(?:^|[-_])(?:next|nxt|older)(?:[-_](?:page|posts?|link|btn|button|arrow|item))?$/i;

/** A class of an icon, or the file of a picture, that shows an arrow to the right. */
const NEXT_PICTURE = /(?:^|[-_/])(?:next|nxt|right|forward)(?:[-_.]|$)/i;

const PRESENT_CLASS = /^(?:is-)?(?:active|actived|current|curr?|selected|on|this|now|present)$/i;
const PRESENT_PART = /[-_](?:active|current|selected)$/i;

/** The number of a page, alone or in brackets. */
const PAGE_NUMBER = /^[\s[({.·|-]{0,5}(\d{1,7})[\s\])}.·|-]{0,5}$/;

function classesOf({ attribs }: Element): readonly string[] {
	return (attribs.class ?? '').slice(0, 2000).split(/\s+/);
}

function relOf({ attribs }: Element): readonly string[] {
	return (attribs.rel ?? '').slice(0, 200).toLowerCase().split(/\s+/);
}

function isDisabled(element: Element): boolean {
	const isMarked = classesOf(element).some((name) => /(?:^|[-_])disabled$/i.test(name));
	return isMarked || element.attribs['aria-disabled'] === 'true';
}

function isMarkedPresent(element: Element): boolean {
	const { 'aria-current': current } = element.attribs;
	return current !== undefined && current !== 'false';
}

function isClassedPresent(element: Element): boolean {
	return classesOf(element).some((name) => PRESENT_CLASS.test(name) || PRESENT_PART.test(name));
}

/** The kind of a name: of the next link, from the surest on, of one to another page, or of none that is known. */
type NameKind = 'word' | 'phrase' | 'arrow' | 'doubleArrow' | 'back' | 'last' | undefined;

function kindOfName(name: string): NameKind {
	const trimmed = name.slice(0, 100).trim().normalize('NFKC');
	if (SINGLE_ARROW.test(trimmed)) return 'arrow';
	if (DOUBLE_ARROW.test(trimmed)) return 'doubleArrow';
	if (BACK_ARROW.test(trimmed)) return 'back';
	if (LAST_ARROW.test(trimmed)) return 'last';
	const plain = comparableName(trimmed);
	if (isNextName.has(plain)) return 'word';
	if (isBackName.has(plain)) return 'back';
	if (isLastName.has(plain)) return 'last';
	// "Next 5 pages" leads further than to the next one
	if (plain === '' || plain.length > LONGEST_LINK_NAME || /\d+ pages/.test(plain)) return undefined;
	if (holdsName(plain, BACK_NAMES)) return 'back';
	if (holdsName(plain, LAST_NAMES)) return 'last';
	return holdsName(plain, NEXT_NAMES) ? 'phrase' : undefined;
}

function isNext(kind: NameKind): boolean {
	return kind !== undefined && kind !== 'back' && kind !== 'last';
}

/** A link in a pager, or the number of a page without a link. */
interface Entry {
	/** Undefined for a number without a link. */
	readonly element?: Element;
	/** Undefined where it leads nowhere. */
	readonly url?: string;
	readonly name: string;
	readonly kind: NameKind;
	readonly number?: number;
	/** Whether it stands for the page that is shown: it says so, or it looks so. */
	readonly present?: 'marked' | 'classed' | 'unlinked';
}

/** Characters of all names of links that are read, and links that are looked at. A list of pages has fewer. */
const MOST_IN_NAMES = 200_000;
const MOST_LINKS_OF_PAGER = 5000;

/** An element that holds the link of the next page, read in the order of the page. */
class Pager {
	private readonly entries: Entry[] = [];

	private room = MOST_IN_NAMES;

	private readonly pause = eventLoopYielder();

	/**
	 * @param picked the links that count; all of them without it
	 */
	constructor(
		private readonly page: HtmlPage,
		private readonly holder: Element,
		private readonly picked?: ReadonlySet<AnyNode>,
	) {}

	async read(ownKey: string): Promise<NextLink> {
		await this.collect();
		const { entries } = this;
		const isOwn = ({ url }: Entry) => url !== undefined && keyOf(url) === ownKey;
		const present = this.presentAt(isOwn);
		const urlsOf = (those: readonly Entry[]) => those.flatMap(({ url }) => url ?? []);
		const leadsTo = {
			own: urlsOf(present === undefined ? [] : [entries[present]]),
			back: urlsOf(entries.filter(({ kind }) => kind === 'back')),
		};
		const named = this.named();
		if (named !== undefined) return { url: named, ...leadsTo };
		if (present !== undefined) return { url: this.behind(present), ...leadsTo };
		if (entries.some(({ kind, url }) => isNext(kind) && url === undefined)) return leadsTo;
		const others = entries.filter(
			({ kind, url }) => url !== undefined && (kind === undefined || isNext(kind)),
		);
		if (new Set(urlsOf(others)).size < 2) return { url: others[0]?.url, ...leadsTo };
		const names = others.map(({ name, url }) => shortLine(name) || (url ?? ''));
		return { unclear: [...new Set(names)], ...leadsTo };
	}

	private async collect(): Promise<void> {
		const waiting: AnyNode[] = [this.holder];
		for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
			await this.pause();
			if (this.entries.length >= MOST_LINKS_OF_PAGER) return;
			if (isElement(node) && node.attribs.href !== undefined) {
				this.addLink(node);
				continue;
			}
			if (isElement(node) && /^(?:script|style|select|noscript)$/.test(node.name)) continue;
			if (isTextNode(node)) this.addText(node.data, node.parentNode);
			else if (isElement(node) && childrenOf(node).length === 0) {
				this.addText(node.attribs['aria-label'] ?? node.attribs.title ?? '', node);
			}
			const children = childrenOf(node);
			for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at]);
		}
	}

	private addLink(element: Element): void {
		if (this.picked !== undefined && !this.picked.has(element)) return;
		const text = this.room > 0 ? textOf(element) : '';
		const label = this.room > 0 ? labelOf(element) : '';
		this.room -= text.length + label.length;
		const name = text || label;
		// A label says more than an arrow: "»" may be the last page
		const kinds = [label, text].map(kindOfName);
		const kind = kinds.find((each) => each !== undefined && !/arrow/i.test(each));
		const around = this.around(element);
		const isDead = around.some(isDisabled);
		this.entries.push({
			...{ element, name, kind: kind ?? kinds[1] ?? kinds[0], number: numberIn(text) },
			url: isDead ? undefined : listedPageUrl(element.attribs.href, this.page),
			present: presentKind(around),
		});
	}

	private addText(text: string, holder: AnyNode | null): void {
		if (text.trim() === '' || text.length > LONGEST_LINK_NAME) return;
		const kind = kindOfName(text);
		const number = numberIn(text);
		if (number === undefined && !isNext(kind)) return;
		const around = holder !== null && isElement(holder) ? this.around(holder) : [];
		const present = presentKind(around) ?? (number === undefined ? undefined : 'unlinked');
		this.entries.push({ name: text.trim(), kind, number, present });
	}

	/** The element and those around it that hold nothing else, at most two, within the pager. */
	private around(element: Element): Element[] {
		const around = [element];
		for (let { parentNode } = element; around.length < 3; parentNode = parentNode.parentNode) {
			if (parentNode === null || parentNode === this.holder || !isElement(parentNode)) break;
			if (!holdsOneOnly(parentNode)) break;
			around.push(parentNode);
		}
		return around;
	}

	/** The address of the link that says that it is the next one, by the surest sign. */
	private named(): string | undefined {
		const { entries } = this;
		const hasArrow = entries.some(({ kind }) => kind === 'arrow');
		const isUnnamed = ({ kind, number }: Entry) => kind === undefined && number === undefined;
		const signs: Array<(entry: Entry) => boolean> = [
			({ element }) => element !== undefined && relOf(element).includes('next'),
			({ kind }) => kind === 'word',
			({ kind }) => kind === 'phrase',
			({ kind }) => kind === 'arrow',
			({ kind }) => kind === 'doubleArrow' && !hasArrow,
			(entry) =>
				isUnnamed(entry) &&
				entry.element !== undefined &&
				this.around(entry.element)
					.flatMap(classesOf)
					.some((name) => NEXT_CLASS.test(name)),
			(entry) => isUnnamed(entry) && entry.element !== undefined && showsArrow(entry.element),
		];
		for (const isSign of signs) {
			const found = entries.find((entry) => entry.url !== undefined && isSign(entry));
			if (found !== undefined) return found.url;
		}
		return undefined;
	}

	/** The index of the entry of the page that is shown; undefined where none says so. */
	private presentAt(isOwn: (entry: Entry) => boolean): number | undefined {
		const { entries } = this;
		const hasNumber = ({ number }: Entry) => number !== undefined;
		const joins = (index: number) => {
			const { number = NaN } = entries[index];
			const near = [entries[index - 1], entries[index + 1]];
			return near.some((each) => Math.abs((each?.number ?? NaN) - number) === 1);
		};
		const signs: Array<(entry: Entry, index: number) => boolean> = [
			({ present }) => present === 'marked',
			(entry) => entry.present === 'classed' && hasNumber(entry),
			// Other numbers may stand there, too, such as how many there are
			({ present }, index) => present === 'unlinked' && joins(index),
			(entry) => isOwn(entry) && hasNumber(entry),
		];
		const found = signs.map((isSign) => entries.findIndex(isSign)).find((index) => index >= 0);
		return found;
	}

	/** The address of the link behind the entry of the page that is shown. */
	private behind(present: number): string | undefined {
		const { number } = this.entries[present];
		const next = this.entries
			.slice(present + 1)
			.find((entry) =>
				number === undefined ? entry.kind === undefined : entry.number !== undefined,
			);
		return number === undefined || next?.number === number + 1 ? next?.url : undefined;
	}
}

/** Whether an element holds one other, and no words. */
function holdsOneOnly({ children }: Element): boolean {
	let held = 0;
	for (const child of children) {
		if (isElement(child) || (isTextNode(child) && child.data.trim() !== '')) held += 1;
		if (held > 1) return false;
	}
	return held === 1;
}

function numberIn(text: string): number | undefined {
	const [, digits] = PAGE_NUMBER.exec(text.slice(0, 30).normalize('NFKC')) ?? [];
	return digits === undefined || text.length > 30 ? undefined : Number(digits);
}

function presentKind(around: readonly Element[]): Entry['present'] {
	if (around.some(isMarkedPresent)) return 'marked';
	return around.some(isClassedPresent) ? 'classed' : undefined;
}

function showsArrow(link: Element): boolean {
	let visits = 0;
	for (const element of elementsOf(link)) {
		const isIcon = element !== link && classesOf(element).some((name) => NEXT_PICTURE.test(name));
		const file = (element.attribs.src ?? '').slice(0, 500).split(/[?#]/)[0];
		if (isIcon || NEXT_PICTURE.test(file.slice(file.lastIndexOf('/') + 1))) return true;
		visits += 1;
		if (visits >= 20) break;
	}
	return false;
}

/** One spelling of an address, by which pages of a list are told apart. */
export function keyOf(url: string): string {
	return spelled(url.replace(/#.*$/s, ''));
}

/** The nearest element that holds more than one of the links. */
function holderOf(link: Element, counts: ReadonlyMap<AnyNode, number>): Element {
	for (let node = link.parentNode; node !== null; node = node.parentNode) {
		if (isElement(node) && (counts.get(node) ?? 0) > 1) return node;
	}
	return link;
}

/** Elements that a selector picks, without those in others that it picks. */
async function pickedBy(page: HtmlPage, selector: string): Promise<Element[]> {
	const pause = eventLoopYielder();
	const picks = compileSelector(selector, page.isXml);
	const picked = new Set<AnyNode>();
	const outer: Element[] = [];
	for (const element of elementsOf(page.document)) {
		await pause();
		if (!picks(element)) continue;
		picked.add(element);
		let { parentNode }: Element = element;
		while (parentNode !== null && !picked.has(parentNode)) parentNode = parentNode.parentNode;
		if (parentNode === null) outer.push(element);
		if (outer.length >= MOST_LINKS_OF_PAGER) break;
	}
	return outer;
}

/** The first address of XML: an attribute, or a text. */
function urlInXml(picked: readonly Element[], page: HtmlPage): string | undefined {
	for (const each of picked) {
		for (const { attribs } of elementsOf(each)) {
			const url = attribs.href === undefined ? undefined : listedPageUrl(attribs.href, page);
			if (url !== undefined) return url;
		}
		const url = listedPageUrl(exactText(each), page);
		if (url !== undefined) return url;
	}
	return undefined;
}

/** The address that the page says is its own; undefined for none. */
function canonicalOf(page: HtmlPage): string | undefined {
	let visits = 0;
	for (const element of elementsOf(page.document)) {
		if (element.name === 'link' && relOf(element).includes('canonical')) {
			return listedPageUrl(element.attribs.href ?? '', page);
		}
		visits += 1;
		if (element.name === 'body' || visits > MOST_LINKS_OF_PAGER) return undefined;
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
	const picked = await pickedBy(page, selector);
	if (picked.length === 0) return undefined;
	if (page.isXml) return { url: urlInXml(picked, page), own: [], back: [] };
	const canonical = canonicalOf(page);
	const own = canonical === undefined ? [] : [canonical];
	const links = picked.filter(({ attribs }) => attribs.href !== undefined);
	const urls = links.flatMap(({ attribs }) => listedPageUrl(attribs.href, page) ?? []);
	// Whoever picks one link means it, whatever its name
	if (links.length === picked.length && new Set(urls).size < 2)
		return { url: urls[0], own, back: [] };
	const counts = new Map<AnyNode, number>();
	for (const link of links) {
		for (let node: AnyNode | null = link; node !== null; node = node.parentNode) {
			counts.set(node, (counts.get(node) ?? 0) + 1);
		}
	}
	const pagers = new Map<Element, Pager>();
	const pickedLinks = new Set<AnyNode>(links);
	for (const each of picked) {
		const isLink = pickedLinks.has(each);
		const holder = isLink ? holderOf(each, counts) : each;
		if (!pagers.has(holder)) {
			pagers.set(holder, new Pager(page, holder, isLink ? pickedLinks : undefined));
		}
	}
	const found: NextLink[] = [];
	for (const pager of pagers.values()) {
		const next = await pager.read(keyOf(url));
		found.push(next);
		if (next.url !== undefined) break;
	}
	const best =
		found.find((next) => next.url !== undefined) ??
		found.find(({ unclear }) => unclear !== undefined);
	return {
		...best,
		own: [...own, ...found.flatMap((next) => next.own)],
		back: found.flatMap((next) => next.back),
	};
}
