import type { Element } from 'domhandler';

import { childrenOf, isElement } from './tree';

/** Attributes of pictures that hold other addresses than the picture's, or none. */
const OTHER_ATTRIBUTES = new Set(
	'alt title class style id name href width height sizes loading decoding usemap longdesc onclick onload onerror data-href data-link data-permalink data-id data-alt data-title'.split(
		' ',
	),
);

/** Pictures that others are loaded in place of. */
const PLACEHOLDER =
	/^(?:data:|about:|javascript:)|(?:blank|spacer|placeholder|loading|lazy|transparent|pixel|grey|gray|empty|clear|1x1|default)[^/]{0,40}$/i;

/** Values that are no address, or hold the picture itself. */
const NO_ADDRESS = /^(?:data|about|javascript):/i;

/** Attributes that name what is shown in place of a picture until it is loaded. */
const OF_PLACEHOLDER = /placeholder|loading-|blank|spacer|lqip|blur|preview|error/;

const PICTURE = /^[^\s"'<>{}]{1,2000}\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:[?#!@_;][^\s]*)?$/i;
const IMAGE_ADDRESS = /^(?:https?:)?\/\/[^\s"'<>{}]+$|^\.{0,2}\/[^\s"'<>{}]+$/i;

/** Names of attributes that hold the address of the picture, however that is written. */
const IS_SOURCE = /^data-(?:lazy-)?(?:src|original)$/;

/** Names of attributes that may hold it as well. */
const MAY_BE_SOURCE = /url|ima?ge?|pic|photo/;

const RELATIVE_ADDRESS = /^[^\s"'<>{}]*[./?][^\s"'<>{}]*$/;

/** Names of attributes that say that their picture is the one to be shown. */
const LATE = /lazy|orig|actual|real|src|defer|echo|load|file|backup/i;

/** Longer ones hold the picture itself. */
const LONGEST_IMAGE_ADDRESS = 8000;

/** The largest picture of a list such as "a.jpg 480w, b.jpg 960w". */
function largestOf(srcset: string | undefined): string | undefined {
	const candidates = (srcset ?? '')
		.slice(0, 20_000)
		.split(/,\s|,(?=https?:|\/)/)
		.map((candidate) => candidate.trim().split(/\s+/))
		.filter(([url]) => url !== '' && !PLACEHOLDER.test(url));
	const sizeOf = ([, size = '1x']: readonly string[]) => parseFloat(size) || 0;
	return candidates.reduce<string[]>(
		(best, candidate) => (best.length === 0 || sizeOf(candidate) > sizeOf(best) ? candidate : best),
		[],
	)[0];
}

/** Parts of a `picture` that are looked at: it has a picture and a few sources. */
const MOST_SOURCES = 50;

/** The largest pictures of `picture` elements, found once: each of thousands of `img` in one would look at all sources. */
const largestOfPictures = new WeakMap<Element, string | undefined>();

function largestOfPicture({ parentNode }: Element): string | undefined {
	if (parentNode === null || !isElement(parentNode) || parentNode.name !== 'picture')
		return undefined;
	if (largestOfPictures.has(parentNode)) return largestOfPictures.get(parentNode);
	let largest: string | undefined;
	for (const child of childrenOf(parentNode).slice(0, MOST_SOURCES)) {
		if (!isElement(child) || child.name !== 'source') continue;
		const { srcset, 'data-srcset': late } = child.attribs;
		largest ??= largestOf(late) ?? largestOf(srcset);
	}
	largestOfPictures.set(parentNode, largest);
	return largest;
}

/** The address of a picture, also of one that is loaded late; undefined where there is none but a placeholder's. */
export function pictureSource(picture: Element): string | undefined {
	const { src = '', srcset } = picture.attribs;
	const late: string[] = [];
	const other: string[] = [];
	for (const [name, given] of Object.entries(picture.attribs)) {
		const value = given.length > LONGEST_IMAGE_ADDRESS ? '' : given.trim();
		if (name === 'src' || name.endsWith('srcset') || OTHER_ATTRIBUTES.has(name)) continue;
		const isData = name.startsWith('data-');
		if (isData ? NO_ADDRESS.test(value) || OF_PLACEHOLDER.test(name) : PLACEHOLDER.test(value))
			continue;
		const isPicture = PICTURE.test(value);
		const isAddress = IMAGE_ADDRESS.test(value);
		const isSource = IS_SOURCE.test(name) && RELATIVE_ADDRESS.test(value);
		if (isSource || (LATE.test(name) && (isPicture || isAddress))) late.push(value);
		else if (isPicture || (MAY_BE_SOURCE.test(name) && isAddress)) other.push(value);
	}
	const lateSets = Object.entries(picture.attribs).filter(
		([name]) => name !== 'srcset' && name.endsWith('srcset'),
	);
	const ofLateSets = lateSets.map(([, value]) => largestOf(value));
	const source = src.length > LONGEST_IMAGE_ADDRESS ? '' : src.trim();
	// Where there is another one, a small picture that moves is a sign that it loads
	const isShown = source !== '' && !PLACEHOLDER.test(source);
	const isSurelyShown = isShown && !/\.gif(?:\?|$)/i.test(source);
	const candidates = [
		...late,
		...ofLateSets,
		isSurelyShown ? source : undefined,
		largestOf(srcset),
		largestOfPicture(picture),
		...other,
		isShown ? source : undefined,
		NO_ADDRESS.test(source) ? undefined : source,
	];
	return candidates.find((url) => url !== undefined && url !== '');
}

/** Whether a picture only counts visitors. */
export function isTrackingPixel({ attribs: { width, height } }: Element): boolean {
	const isTiny = (size: string | undefined) => size !== undefined && parseFloat(size) <= 1;
	return isTiny(width) && isTiny(height);
}
