import type { Field, FieldCollection } from '../../../../shared/fields/field';
import {
	choice,
	oneOrZero,
	text,
	wholeNumber,
	type ValueKind,
} from '../../../../shared/fields/valueKinds';
import { compileSelector } from '../../../pages/content/selectors';
import { field, lines, urlField } from '../open/fields';

export const startUrlField: Field = {
	...urlField,
	description:
		'Where to start: the address of a page, or, from a sitemap, of that or of any page of the site',
};

const STARTS = [
	{ name: 'Page', value: 'page', description: 'Open the page, and follow its links' },
	{ name: 'Sitemap', value: 'sitemap', description: 'Open the pages that the site lists itself' },
];

/** Whole addresses: a path alone would match none. */
const patterns: ValueKind = {
	...lines,
	allowed: 'whole addresses in which * stands for anything, one per line',
	accepts: (entered) =>
		entered.split(/\r?\n/).every((line) => /^\s*(?:$|\*|https?:\/\/)/i.test(line)),
	advice: () => "Begin each line with '*' or 'https://', as in */detail/*.",
};

const cssSelector = text('a CSS selector, such as .items a', (selector) => {
	try {
		compileSelector(selector);
		return true;
	} catch {
		return false;
	}
});

const on: ValueKind = { ...oneOrZero, property: { type: 'boolean', default: true } };

export const followCollection: FieldCollection = {
	name: 'follow',
	displayName: 'Follow',
	placeholder: 'Add condition',
	fields: [
		field(
			'links',
			'Links',
			patterns,
			'Addresses to follow, one per line. * stands for anything. Leave empty to follow all.',
			{ placeholder: 'e.g. */detail/*' },
		),
		field(
			'except',
			'Except',
			patterns,
			'Addresses not to follow, one per line. * stands for anything.',
			{ placeholder: 'e.g. *.pdf' },
		),
		field(
			'selector',
			'Selector',
			cssSelector,
			'CSS selector of the links to follow, or of what holds them on the page',
			{ placeholder: 'e.g. .items, a[rel=next]' },
		),
		field(
			'sameSite',
			'Same Site',
			on,
			'Whether to follow only links to the site where it starts, with or without www',
			{},
		),
	],
};

/** In the order of the editor. */
export const crawlFields: readonly Field[] = [
	field('startFrom', 'Start From', choice(STARTS), 'Where the addresses of the pages come from'),
	field(
		'maxDepth',
		'Max Depth',
		wholeNumber(1, 1000, 1),
		'How many links away from the start a page may be. The last of ten pages of a list is nine links away, and what it lists is ten.',
	),
	field(
		'maxPages',
		'Max Pages',
		wholeNumber(1, 100_000, 100),
		"How many pages to open at most from each start. 'Pages per Proxy' says how many proxies they use up.",
	),
];

export const respectRobotsField = field(
	'respectRobots',
	'Respect Robots.txt',
	on,
	'Whether to leave out links that the robots.txt of their site forbids. It is read through a proxy as well.',
	{},
);
