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
	resource: 'what most come for first',
	operation: 'what most come for first',
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
		...members.flatMap((member) => propertyFindings(member, isCollection)),
	];
}

/** @param {readonly Property[]} properties @returns {string[]} each finding once */
export function reviewFindings(properties) {
	return [...new Set(properties.flatMap((property) => propertyFindings(property, false)))];
}
