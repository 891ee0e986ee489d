// @ts-check
/**
 * Rules of n8n's main branch for community nodes that its published lint lacks, on descriptions of nodes and
 * credentials. What is not followed, and why, stands in CONTRIBUTING.md.
 */

const LONGEST_HINT = 120;

/**
 * Lists whose order means something; all others are sorted by name.
 *
 * @type {Readonly<Record<string, string>>}
 */
const ORDERED = {
	product: 'by the names of products, without their codes',
	continent: '"Any" before all others',
	options:
		'of pages by what they are about, what most want first; all others by name, as a test checks',
	take: 'the usual one first',
	timeType: 'by length',
	prepayTimeType: 'by length',
	prepayAutoRenewUnit: 'by length',
	autoRenewUnit: 'by length',
	plan: 'by price',
	opsPlan: 'by price',
};

/** Seconds of units in names, so that periods compare; sizes and bandwidths have one unit each. */
const UNITS = { second: 1, minute: 60, hour: 3600 };

/** @param {string} name such as "Standard: 10 to 20 Minutes" @returns {number | undefined} */
function sizeOf(name) {
	const [, number] = /(\d+)/.exec(name) ?? [];
	if (number === undefined) return undefined;
	const [, unit] = /(second|minute|hour)s?\b/i.exec(name) ?? [];
	return (
		Number(number) * (unit === undefined ? 1 : UNITS[/** @type {'hour'} */ (unit.toLowerCase())])
	);
}

/** @param {readonly (number | undefined)[]} sizes */
function isGrowing(sizes) {
	return sizes.every((size, index) => size !== undefined && size >= (sizes[index - 1] ?? -1));
}

/**
 * Periods and sizes grow, behind what is none, such as "Every Request", and by kind, such as "Standard: ".
 *
 * @param {readonly string[]} names
 */
function isBySize(names) {
	const kindOf = (/** @type {string} */ name) => /^(\w+): /.exec(name)?.[1];
	return [...new Set(names.map(kindOf))].every((kind) => {
		const sizes = names.filter((name) => kindOf(name) === kind).map(sizeOf);
		const first = sizes.findIndex((size) => size !== undefined);
		return first >= 0 && isGrowing(sizes.slice(first));
	});
}

/** @param {string} a @param {string} b */
function alphabetically(a, b) {
	return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

/** @param {readonly string[]} names */
function isSorted(names) {
	return names.join('\n') === [...names].sort(alphabetically).join('\n');
}

/**
 * @typedef {object} Property of a description
 * @property {string} name
 * @property {string} displayName
 * @property {string} type
 * @property {string} [description]
 * @property {string} [hint]
 * @property {string} [placeholder]
 * @property {boolean} [required]
 * @property {unknown} [default]
 * @property {readonly any[]} [options]
 */

/** @param {Property} property */
function orderFinding({ name, type, options = [], ...property }) {
	const names = options.map((option) => option.displayName ?? option.name);
	if (!/^(?:options|multiOptions|collection)$/.test(type) || isSorted(names)) return [];
	// Of two or three, the preset may come first
	const isPresetFirst = names.length <= 3 && options[0].value === property.default;
	if (name in ORDERED || isPresetFirst || isBySize(names)) return [];
	return [`${name}: the options are not sorted: ${names.join(', ')}`];
}

/** @param {string} name @param {readonly any[]} options of a menu */
function duplicates(name, options) {
	const isTwice = (
		/** @type {unknown} */ key,
		/** @type {number} */ index,
		/** @type {unknown[]} */ keys,
	) => key !== undefined && keys.indexOf(key) !== index;
	const names = options.map((option) => option.name);
	const values = options.map(({ value }) => value);
	return [...names.filter(isTwice), ...values.filter(isTwice)].map(
		(each) => `${name}: ${each} stands in the options twice`,
	);
}

/**
 * @param {Property} property
 * @param {boolean} isInCollection
 * @returns {string[]} what a reviewer would find, in words
 */
function propertyFindings(property, isInCollection) {
	const {
		name,
		hint = '',
		displayName,
		description = '',
		placeholder = '',
		options = [],
	} = property;
	const ofOptions = options.flatMap((option) => [option.name, option.description, option.action]);
	const texts = [hint, displayName, description, placeholder, ...ofOptions];
	const isCollection = property.type === 'collection';
	const members = isCollection ? options : options.flatMap((option) => option.values ?? []);
	return [
		...(hint.length > LONGEST_HINT ? [`${name}: the hint has ${hint.length} characters`] : []),
		...(isInCollection && property.required ? [`${name}: required in a collection`] : []),
		...(property.default === undefined ? [`${name}: no default`] : []),
		...(texts.some((text) => /\p{Script=Han}/u.test(text)) ? [`${name}: not in English`] : []),
		...orderFinding(property),
		...(property.type === 'collection' ? [] : duplicates(name, options)),
		...members.flatMap((member) => propertyFindings(member, isCollection)),
	];
}

/** @param {readonly Property[]} properties @returns {string[]} each finding once */
export function reviewFindings(properties) {
	return [...new Set(properties.flatMap((property) => propertyFindings(property, false)))];
}

/** The categories of n8n's node panel that a node without AI may have; another one hides it from the search. */
const CATEGORIES = new Set([
	'Analytics',
	'Communication',
	'Core Nodes',
	'Cybersecurity',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
]);

/** @param {{ categories?: readonly string[], subcategories?: unknown }} codex */
export function codexFindings({ categories = [], subcategories }) {
	return [
		...(categories.length === 0 ? ['no category'] : []),
		...categories.filter((each) => !CATEGORIES.has(each)).map((each) => `unknown category ${each}`),
		...(subcategories === undefined ? [] : ['subcategories']),
	];
}

/** What the icon of a theme has to be told from: the background of nodes on n8n's canvas. */
const BACKGROUNDS = { light: '#ffffff', dark: '#2b2b2b' };

/** The ratio that WCAG wants of graphics; n8n's rule warns below 1.5. */
const LEAST_CONTRAST = 3;

/** @param {string} color such as `#1565d8` @returns {number} its luminance by WCAG, 0 to 1 */
function luminance(color) {
	const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
		const part = Number.parseInt(color.slice(start, start + 2), 16) / 255;
		return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} svg @param {keyof typeof BACKGROUNDS} theme */
export function iconFindings(svg, theme) {
	const colors = svg.match(/(?<=(?:fill|stroke|stop-color)=")#[\da-f]{6}(?=")/gi) ?? [];
	const background = luminance(BACKGROUNDS[theme]);
	const ratios = colors.map((color) => {
		const [low = 0, high = 0] = [luminance(color), background].sort((a, b) => a - b);
		return (high + 0.05) / (low + 0.05);
	});
	const best = Math.max(0, ...ratios);
	return best >= LEAST_CONTRAST ? [] : [`contrast of ${best.toFixed(2)} on the ${theme} theme`];
}

/** Leftovers that must not be beside nodes and credentials. @param {readonly string[]} files */
export function deadFiles(files) {
	return files.filter((file) =>
		/\.(?:backup|bak)$|Zone\.Identifier$|(?:^|\/)test\.[jt]s$/.test(file),
	);
}

/** n8n's own color is for its own nodes. @param {{ defaults: { color?: string } }} description */
export function colorFindings({ defaults: { color } }) {
	return color?.toLowerCase() === '#ff6d5a' ? ["n8n's own color"] : [];
}
