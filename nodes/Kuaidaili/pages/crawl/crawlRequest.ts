import { FieldReader } from '../../../shared/fields/reader';
import {
	InvalidFieldError,
	type Field,
	type FieldCollection,
	type ValueKind,
} from '../../../shared/fields/field';
import { choice, toggle, number } from '../../../shared/fields/kinds';
import type { Item } from '../../run/item';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import { cssSelector, field, lines, REQUEST_PRESETS, requestRow } from '../request/pageFields';
import { urlField } from '../request/pageAddresses';
import {
	linesOf,
	pageReader,
	readPageRequests,
	readPageSettings,
	type PageRequest,
} from '../request/pageRequest';

export const startUrlField: Field = {
	...urlField,
	description:
		'Where to start: the address of a page, or, from a sitemap, of that or of any page of the site',
};

/** Whole addresses: a path alone would match none. */
const patterns: ValueKind = {
	...lines,
	allowed: 'whole addresses in which * stands for anything, one per line',
	accepts: (entered) =>
		entered.split(/\r?\n/).every((line) => /^\s*(?:$|\*|https?:\/\/)/i.test(line)),
	advice: () => "Begin each line with '*' or 'https://', as in */detail/*.",
};

export const followCollection: FieldCollection = {
	name: 'follow',
	displayName: 'Follow',
	placeholder: 'Add condition',
	description: 'Which links to follow. Empty means all links of the site.',
	fields: [
		field(
			'links',
			'Links',
			patterns,
			'Addresses to follow, one per line. * stands for anything. Leave empty to follow all.',
			{ required: false, placeholder: 'e.g. */detail/*' },
		),
		field(
			'except',
			'Except',
			patterns,
			'Addresses not to follow, one per line. * stands for anything.',
			{ required: false, placeholder: 'e.g. *.pdf' },
		),
		field(
			'selector',
			'Selector',
			cssSelector('.items a'),
			'CSS selector of the links to follow, or of what holds them on the page',
			{ required: false, placeholder: 'e.g. .items, a[rel=next]' },
		),
		field(
			'sameSite',
			'Same Site',
			toggle({ preset: true }),
			'Whether to follow only links to the site where it starts, with or without www',
		),
	],
};

export const startFromField: Field = field(
	'startFrom',
	'Start From',
	choice([
		{ name: 'Page', value: 'page', description: 'Open the page, and follow its links' },
		{
			name: 'Sitemap',
			value: 'sitemap',
			description: 'Open the pages that the site lists itself',
		},
	]),
	'Where the addresses of the pages come from',
);

/** Fields of a crawl that stand in 'Options'. */
export const crawlOptions: readonly Field[] = [
	field(
		'maxDepth',
		'Max Depth',
		number({ min: 1, max: 1000, preset: 1 }),
		'How many links away from the start a page may be. The last of ten pages of a list is nine links away, and what it lists is ten.',
	),
	field(
		'maxPages',
		'Max Pages',
		number({ min: 1, max: 100_000, preset: 100 }),
		"How many pages to open at most from each start. 'Pages per Proxy' says how many proxies they use up.",
	),
	field(
		'respectRobots',
		'Respect Robots.txt',
		toggle({ preset: true }),
		'Whether to leave out links that the robots.txt of their site forbids, which is read through a proxy as well, and those marked nofollow',
	),
];

/** Values of fields that Open has and a crawl does not: it only reads pages, and those have nothing else in common. */
export const FIXED_VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
	[requestRow.name, {}],
	...Object.entries(REQUEST_PRESETS),
	['sessionKey', ''],
	['outputField', 'data'],
]);

/** Fields of a crawl, checked, besides those of its pages and of the proxies for them. */
export interface CrawlRequest {
	/** Whether the pages are those of a sitemap; false by default. */
	readonly startsFromSitemap: boolean;
	/** Number of links between the start and a page at most; 1 by default. */
	readonly maxDepth: number;
	/** Number of pages of each start at most, the start included; 100 by default. */
	readonly maxPages: number;
	/** Patterns of whole addresses in lower case that are followed; empty, the default, for all. */
	readonly links: readonly string[];
	/** Patterns of whole addresses in lower case that are not followed; none by default. */
	readonly except: readonly string[];
	/** Whether only links to the host where it starts are followed, with or without `www.`; true by default. */
	readonly sameSite: boolean;
	/** CSS selector of the links to follow, or of what holds them; undefined, the default, for all. */
	readonly selector?: string;
	/** Whether links that a robots.txt forbids are left out; true by default. */
	readonly respectsRobots: boolean;
}

/** Pages where the crawls of an item start. */
export async function readStarts(item: Item): Promise<PageRequest[]> {
	const valueOf = pageReader(item);
	const settings = readPageSettings(item, (name) => FIXED_VALUES.get(name) ?? valueOf(name));
	const starts = await readPageRequests(item, settings);
	if (starts.some(({ openRange }) => openRange !== undefined)) {
		throw new InvalidFieldError(
			startUrlField.displayName,
			'[1-]',
			"A range without an end works with the operation 'Open' only. Give it one, as in [1-20].",
		);
	}
	return starts;
}

export function readCrawlRequest(item: Item): CrawlRequest {
	const valueOf = (name: string) => item.parameter(name);
	const { options } = item.callOptions();
	const { textOf } = new FieldReader()
		.read([startFromField], valueOf)
		.readCollection(followCollection, valueOf(followCollection.name))
		.readCollection({ displayName: OPTIONS_LABEL, fields: crawlOptions }, options);
	return {
		startsFromSitemap: textOf('startFrom') === 'sitemap',
		maxDepth: Number(textOf('maxDepth') ?? 1),
		maxPages: Number(textOf('maxPages') ?? 100),
		links: linesOf(textOf('links')),
		except: linesOf(textOf('except')),
		sameSite: textOf('sameSite') !== '0',
		selector: textOf('selector'),
		respectsRobots: textOf('respectRobots') !== '0',
	};
}
