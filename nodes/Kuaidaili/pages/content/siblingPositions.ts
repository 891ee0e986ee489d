import type { AnyNode, Element } from 'domhandler';

import { nthCheck } from '../../../shared/bundled/htmlTree';
import { isElement } from './tree';

/** Positions of the elements in one that holds them. */
interface SiblingPositions {
	/** From 1. */
	readonly positions: ReadonlyMap<AnyNode, number>;
	/** Numbers of elements, by name where only those of one name are counted. */
	readonly counts: ReadonlyMap<string, number>;
}

/** Elements of which each is counted anew, as that takes no longer than to keep their positions. */
const FEW_CHILDREN = 20;

/** Name of an element as selectors have it: those of HTML have no capitals, and its pictures in SVG do. */
function selectableName(isXml: boolean, { name }: Element): string {
	return isXml ? name : name.toLowerCase();
}

/** @param cache by what holds the elements: counted anew for each of many rows, they would take for ever */
function positionsIn(
	parent: AnyNode,
	cache: Map<AnyNode, SiblingPositions>,
	nameOf: (element: Element) => string,
	onVisit: () => void,
): SiblingPositions {
	const known = cache.get(parent);
	if (known !== undefined) return known;
	const positions = new Map<AnyNode, number>();
	const counts = new Map<string, number>();
	for (const node of 'children' in parent ? parent.children : []) {
		onVisit();
		if (!isElement(node)) continue;
		const position = (counts.get(nameOf(node)) ?? 0) + 1;
		counts.set(nameOf(node), position);
		positions.set(node, position);
	}
	const counted = { positions, counts };
	if (positions.size > FEW_CHILDREN) cache.set(parent, counted);
	return counted;
}

const POSITION_RULE = /:nth-(?:last-)?(?:child|of-type)\(([^()]*)\)/gi;

/**
 * The parts of a selector about positions, such as `:nth-child(2n+1)`, each of which takes as long for a row of thousands
 * as for one of a few, and tells whether an element has one of the positions that its rule names. Positions are counted
 * once, and so must not change while the selector is used. Throws Error for what names no position.
 *
 * @param onVisit called for each node that is visited
 */
export function positionPseudos(
	selector: string,
	isXml: boolean,
	onVisit: () => void,
): Record<string, (element: Element, rule?: string | null) => boolean> {
	const rules = [...selector.matchAll(POSITION_RULE)].map(([, rule]) => rule.trim());
	const checks = new Map(rules.map((rule) => [rule, nthCheck(rule)]));
	const pseudo = (nameOf: (element: Element) => string, isFromEnd: boolean) => {
		const cache = new Map<AnyNode, SiblingPositions>();
		return (element: Element, given?: string | null): boolean => {
			const rule = (given ?? '').trim();
			const check = checks.get(rule) ?? nthCheck(rule);
			onVisit();
			if (element.parent === null) return false;
			const { positions, counts } = positionsIn(element.parent, cache, nameOf, onVisit);
			const position = positions.get(element) ?? 0;
			// Which counts from 0
			return check(isFromEnd ? (counts.get(nameOf(element)) ?? 0) - position : position - 1);
		};
	};
	const all = () => '';
	const byName = (element: Element) => selectableName(isXml, element);
	return {
		'nth-child': pseudo(all, false),
		'nth-last-child': pseudo(all, true),
		'nth-of-type': pseudo(byName, false),
		'nth-last-of-type': pseudo(byName, true),
	};
}
