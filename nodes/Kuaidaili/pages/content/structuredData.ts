import type { AnyNode, Element } from 'domhandler';

import { isList, isRecord, type UnknownRecord } from '../../../shared/guards';
import type { HtmlPage } from './html';
import { mendJson } from './mendJson';
import { parsePageJson } from './scanJson';
import type { Row } from './tableRows';
import {
	absoluteUrl,
	collapsed,
	elementsOf,
	exactText,
	textOf,
	withPauses,
	type Pause,
} from './tree';

/** Types that a page is about, and their subtypes (schema.org). */
const MAIN_TYPE = /^(?:Product|ProductGroup|\w*Article|BlogPosting|Recipe|\w*Event|JobPosting)$/;

/** Types that describe the page or its site, rather than what it is about. */
const ABOUT_PAGE =
	/^(?:\w*(?:WebPage|WebSite|Organization)|BreadcrumbList|ListItem|ImageObject|Person|SearchAction|SiteNavigationElement|WPHeader|WPFooter|WPSideBar)$/;

/** Levels in which entities are looked for, and that become columns. */
const MOST_ENTITY_LEVELS = 8;

/** Lists and objects of one script at most. */
const MOST_JSON_PARTS = 200_000;

/** Columns of a row at most. */
const MOST_ENTITY_COLUMNS = 200;

/** Values and characters of all rows of a page: one entity may belong to each of thousands. */
const MOST_ENTITY_VALUES = 500_000;
const MOST_ENTITY_CHARACTERS = 20_000_000;

/** The value of JSON, also where somebody has left comments and commas in it; undefined for none. */
async function parseLoosely(text: string, pause: Pause): Promise<unknown> {
	for (const read of [() => text, async () => await withPauses(mendJson(text), pause)]) {
		try {
			return await parsePageJson(await read(), pause, MOST_JSON_PARTS);
		} catch {
			continue;
		}
	}
	return undefined;
}

/** A name without the address of its vocabulary. */
function withoutVocabulary(name: string): string {
	return name.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, '');
}

/** The types of an entity; none for anything else. */
function typesOf(value: unknown): string[] {
	if (!isRecord(value)) return [];
	const types = isList(value['@type']) ? value['@type'] : [value['@type']];
	return types.filter((type) => typeof type === 'string').map(withoutVocabulary);
}

/** All entities in a value, each before what it holds. */
function* entitiesIn(value: unknown, level = 0): Generator<UnknownRecord> {
	if (level > MOST_ENTITY_LEVELS) return;
	if (isRecord(value) && typesOf(value).length > 0) yield value;
	const parts = isList(value) ? value : isRecord(value) ? Object.values(value) : [];
	for (const part of parts) yield* entitiesIn(part, level + 1);
}

/** The entities that stand in a document of JSON-LD, rather than within another one. */
function* rootsOf(value: unknown, level = 0): Generator<UnknownRecord> {
	if (level > MOST_ENTITY_LEVELS) return;
	if (isList(value)) for (const part of value) yield* rootsOf(part, level + 1);
	if (!isRecord(value)) return;
	const { '@graph': graph, mainEntity } = value;
	yield value;
	for (const part of [graph].flat()) if (isRecord(part)) yield part;
	yield* rootsOf(mainEntity, level + 1);
}

/** The value that an element of microdata has (html.spec.whatwg.org, 5.2.4). */
function microdataValue(element: Element, page: HtmlPage): string {
	const { name, attribs } = element;
	const address = attribs.href ?? attribs.src ?? attribs.data;
	if (name === 'meta') return attribs.content ?? '';
	if (/^(?:a|area|link|img|audio|video|source|iframe|embed|track|object)$/.test(name)) {
		return address === undefined ? textOf(element) : absoluteUrl(address, page.baseUrl);
	}
	if (name === 'data' || name === 'meter') return attribs.value ?? textOf(element);
	return attribs.content ?? attribs.datetime ?? textOf(element);
}

/** The entities of microdata on a page, each with lists of its properties; those within others are only there. */
async function microdataOf(page: HtmlPage, pause: Pause): Promise<UnknownRecord[]> {
	const roots: Array<Record<string, unknown[]>> = [];
	const scopes = new Map<AnyNode, Record<string, unknown[]>>();
	let room = MOST_ENTITY_CHARACTERS;
	for (const element of elementsOf(page.document)) {
		await pause();
		const { attribs, parent } = element;
		const around = parent === null ? undefined : scopes.get(parent);
		const types = (attribs.itemtype ?? '').trim().split(/\s+/).filter(Boolean);
		const entity = attribs.itemscope === undefined ? undefined : { '@type': types };
		const own = entity ?? around;
		if (own !== undefined) scopes.set(element, own);
		const names = (attribs.itemprop ?? '').trim().split(/\s+/).filter(Boolean);
		if (around === undefined || names.length === 0) {
			if (entity !== undefined) roots.push(entity);
			continue;
		}
		const value = entity ?? microdataValue(element, page);
		room -= typeof value === 'string' ? value.length : 0;
		if (room < 0) break;
		for (const name of names.map(withoutVocabulary)) {
			if (!Object.hasOwn(around, name)) around[name] = [];
			around[name].push(value);
		}
	}
	return roots.filter((entity) => Object.keys(entity).length > 1);
}

/** Names of `<meta>` that say something of what a page is about. */
const META = /^(?:og|article|product|book|video|music|profile):|^(?:author|description|keywords)$/;

/** The entity that OpenGraph and `<meta>` make of a page; none of most pages without OpenGraph. */
async function metaOf({ document, title }: HtmlPage, pause: Pause): Promise<UnknownRecord[]> {
	const found: Record<string, unknown[]> = {};
	for (const { name, attribs } of elementsOf(document)) {
		await pause();
		const key = (attribs.property ?? attribs.name ?? '').toLowerCase();
		const value = collapsed(attribs.content ?? '');
		if (name !== 'meta' || value === '' || !META.test(key)) continue;
		const plain = key === 'og:type' ? '@type' : key.replace(/^og:/, '');
		if (!Object.hasOwn(found, plain)) found[plain] = [];
		if (!found[plain].includes(value) && found[plain].length < MOST_ENTITY_COLUMNS)
			found[plain].push(value);
	}
	if (Object.keys(found).length === 0) return [];
	return [title === '' || Object.hasOwn(found, 'title') ? found : { title, ...found }];
}

function asText(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Makes rows of entities: names of what is within one stand behind its own, and lists are texts in lines. */
class EntityRows {
	private values = MOST_ENTITY_VALUES;

	private characters = MOST_ENTITY_CHARACTERS;

	private columns = new Map<string, unknown>();

	/**
	 * @param byId the entities that others name by their IDs
	 * @param reserved names that no column gets, but with "entity_" in front of them
	 */
	constructor(
		private readonly byId: ReadonlyMap<string, UnknownRecord>,
		private readonly reserved: ReadonlySet<string>,
	) {}

	rowOf(entity: UnknownRecord): Row {
		this.columns = new Map();
		const types = typesOf(entity).join('\n');
		if (types !== '') this.columns.set('type', types);
		this.add(entity, '', 0);
		return [...this.columns];
	}

	private add(entity: UnknownRecord, prefix: string, level: number): void {
		for (const [key, value] of Object.entries(entity)) {
			if (key.startsWith('@')) continue;
			const name = withoutVocabulary(key).replace(/\W+/g, '_');
			const isReserved = level === 0 && this.reserved.has(name);
			this.addValue(`${isReserved ? 'entity_' : prefix}${name}`, value, level);
		}
	}

	private addValue(name: string, given: unknown, level: number): void {
		this.values -= 1;
		if (this.values < 0 || level > MOST_ENTITY_LEVELS) return;
		const value = this.resolved(given, level);
		if (isList(value)) for (const part of value) this.addValue(name, part, level + 1);
		else if (isRecord(value)) this.add(value, `${name}_`, level + 1);
		else if (value !== null && value !== '') this.addText(name, value);
	}

	private addText(name: string, value: unknown): void {
		const { columns } = this;
		this.characters -= name.length + String(value).length;
		const before = columns.get(name);
		if (this.characters < 0 || (before === undefined && columns.size >= MOST_ENTITY_COLUMNS))
			return;
		columns.set(name, before === undefined ? value : `${asText(before)}\n${asText(value)}`);
	}

	/** A value that JSON-LD writes as an object, or by the ID of an entity that stands elsewhere. */
	private resolved(value: unknown, level: number): unknown {
		if (!isRecord(value)) return value;
		if (Object.hasOwn(value, '@value')) return value['@value'];
		const id = referenceIn(value);
		if (id === undefined) return value;
		return (level <= 1 ? this.byId.get(id) : undefined) ?? id;
	}
}

/** Entities with a type that is looked for, each once. */
async function ofType(
	found: Iterable<UnknownRecord>,
	isType: (name: string) => boolean,
	pause: Pause,
): Promise<UnknownRecord[]> {
	const entities = new Set<UnknownRecord>();
	for (const entity of found) {
		if (typesOf(entity).some(isType)) entities.add(entity);
		await pause();
	}
	return [...entities];
}

/** The ID of an entity that stands elsewhere; undefined for anything else than its name. */
function referenceIn(value: UnknownRecord): string | undefined {
	const { '@id': id } = value;
	return typeof id === 'string' && Object.keys(value).length === 1 ? id : undefined;
}

/** An element of a list: the item that it names, or itself; a text is the address or the name of one. */
function elementOfList(element: unknown, byId: ReadonlyMap<string, UnknownRecord>): unknown {
	if (typeof element === 'string') {
		return /^https?:/.test(element) ? { url: element } : { name: element };
	}
	if (!isRecord(element)) return undefined;
	const item = [element.item].flat().find(isRecord) ?? element;
	return byId.get(referenceIn(item) ?? '') ?? item;
}

/** The elements of lists. */
async function elementsOfLists(
	lists: readonly UnknownRecord[],
	byId: ReadonlyMap<string, UnknownRecord>,
	pause: Pause,
): Promise<UnknownRecord[]> {
	const elements: UnknownRecord[] = [];
	for (const { itemListElement } of lists) {
		for (const part of [itemListElement].flat()) {
			const element = elementOfList(part, byId);
			if (isRecord(element)) elements.push(element);
			await pause();
		}
	}
	return elements;
}

/**
 * Entities of a type, wherever they stand; without one, those that a page is about.
 *
 * @param byId the entities that lists name by their IDs
 */
async function mainOf(
	roots: readonly UnknownRecord[],
	byId: ReadonlyMap<string, UnknownRecord>,
	type: string,
	pause: Pause,
): Promise<UnknownRecord[]> {
	const all = function* () {
		for (const root of roots) yield* entitiesIn(root);
	};
	if (type !== '') {
		return await ofType(all(), (name) => name.toLowerCase() === type.toLowerCase(), pause);
	}
	const main = await ofType(roots, (name) => MAIN_TYPE.test(name), pause);
	if (main.length > 0) return main;
	const lists = await ofType(all(), (name) => name === 'ItemList', pause);
	const listed = await elementsOfLists(lists, byId, pause);
	if (listed.length > 0) return listed;
	return await ofType(roots, (name) => !ABOUT_PAGE.test(name), pause);
}

/**
 * The rows of a page as its publisher describes it for search engines: an entity each, by JSON-LD, else by microdata, else
 * by OpenGraph and `<meta>`.
 *
 * @param type of the entities, such as "Offer"; empty for those that the page is about
 * @param reserved names that no column gets, but with "entity_" in front of them
 */
export async function structuredRowsOf(
	page: HtmlPage,
	type: string,
	reserved: ReadonlySet<string>,
	pause: Pause,
): Promise<Row[]> {
	const documents: unknown[] = [];
	for (const element of elementsOf(page.document)) {
		await pause();
		const isData =
			element.name === 'script' && /^application\/ld\+json\b/i.test(element.attribs.type ?? '');
		if (isData) documents.push(await parseLoosely(exactText(element), pause));
	}
	const roots: UnknownRecord[] = [];
	const byId = new Map<string, UnknownRecord>();
	for (const document of documents) {
		for (const root of rootsOf(document)) {
			const { '@id': id } = root;
			if (typeof id === 'string') byId.set(id, root);
			roots.push(root);
			await pause();
		}
	}
	let entities = await mainOf(roots, byId, type, pause);
	if (entities.length === 0) {
		entities = await mainOf(await microdataOf(page, pause), byId, type, pause);
	}
	if (entities.length === 0 && type === '') entities = await metaOf(page, pause);
	const maker = new EntityRows(byId, reserved);
	const rows: Row[] = [];
	for (const entity of entities) {
		rows.push(maker.rowOf(entity));
		await pause();
	}
	return rows.filter((row) => row.some(([name]) => name !== 'type'));
}
