/** Deeper than any answer, and far from what a recursive reader of the result could not take. */
const DEEPEST = 100;

const NAME = String.raw`[\p{L}_:][\p{L}\p{M}\p{N}_:.\-]*`;
const ATTRIBUTE = String.raw`\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*')`;

/**
 * Everything that a document consists of here. There is no document type in it: its entities could
 * make an answer grow without limit.
 */
const TOKEN = new RegExp(
	[
		String.raw`<!--[\s\S]*?-->|<\?${NAME}(?:\s[\s\S]*?)?\?>`,
		String.raw`<!\[CDATA\[(?<verbatim>[\s\S]*?)\]\]>`,
		String.raw`<(?<opened>${NAME})(?:${ATTRIBUTE})*\s*(?<atOnce>\/?)>`,
		String.raw`<\/(?<closed>${NAME})\s*>`,
		String.raw`(?<text>[^<]+)`,
	].join('|'),
	'guy',
);

const REFERENCE = /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[0-9a-fA-F]{1,6})|(?<entity>\w+));|&/g;

const ENTITIES: ReadonlyMap<string, string> = new Map([
	['lt', '<'],
	['gt', '>'],
	['amp', '&'],
	['quot', '"'],
	['apos', "'"],
]);

interface OpenElement {
	readonly name: string;
	text: string;
	readonly children: Map<string, unknown[]>;
}

function newElement(name: string): OpenElement {
	return { name, text: '', children: new Map() };
}

/** Chinese text may come as numbers of characters. An entity that is not known stays as it is. */
function resolveReferences(text: string): string {
	if (!text.includes('&')) return text;
	return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, entity?: string) => {
		if (entity !== undefined) return ENTITIES.get(entity) ?? reference;
		if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
		if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
		throw new Error('An ampersand stands alone');
	});
}

function contentOf({ text, children }: OpenElement): unknown {
	if (children.size === 0) return text.trim();
	const single = (values: unknown[]): unknown => (values.length === 1 ? values[0] : values);
	// Never by assignment: a name such as __proto__ would reach further than this object
	return Object.fromEntries([...children].map(([name, values]) => [name, single(values)]));
}

function addChild({ children }: OpenElement, child: OpenElement): void {
	const values = children.get(child.name);
	if (values === undefined) children.set(child.name, [contentOf(child)]);
	else values.push(contentOf(child));
}

/**
 * Reads an XML document into nested objects. Values are texts without the white space around them, a
 * repeated element is a list, an element that stands alone is not. Attributes are left out, and so is
 * text beside elements.
 *
 * @throws Error when the document is not well-formed, cut off for example
 */
export function parseXml(document: string): unknown {
	const outside = newElement('');
	const ancestors: OpenElement[] = [];
	let element = outside;
	let end = 0;

	const close = (): void => {
		const parent = ancestors.pop();
		if (parent === undefined) throw new Error('An element is closed that was not opened');
		addChild(parent, element);
		element = parent;
	};
	for (const { 0: token, index, groups = {} } of document.matchAll(TOKEN)) {
		end = index + token.length;
		const { verbatim, opened, atOnce, closed, text } = groups;
		if (opened !== undefined) {
			if (ancestors.length === DEEPEST) throw new Error('Elements are nested too deeply');
			ancestors.push(element);
			element = newElement(opened);
			if (atOnce === '/') close();
		} else if (closed !== undefined) {
			if (closed !== element.name) throw new Error(`Element '${element.name}' is not closed`);
			close();
		} else {
			element.text += verbatim ?? resolveReferences(text ?? '');
		}
	}
	const roots = [...outside.children.values()].flat().length;
	if (end < document.length || element !== outside || roots !== 1 || outside.text.trim() !== '') {
		throw new Error('The document is not well-formed');
	}
	return contentOf(outside);
}
