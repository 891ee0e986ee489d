import { DomHandler } from 'domhandler';
import { textContent } from 'domutils';
import { parseDocument, Parser } from 'htmlparser2';

import type { MarkupTree, TreeLimits } from './htmlTree';

/** Characters that are parsed in one piece. */
const XML_PART = 16_384;

/** The parser's time grows with how deeply elements are nested. */
const MOST_OPEN_ELEMENTS = 1000;

/** Makes the tree; what is nested too deeply goes into the last element that is not. */
class ShallowHandler extends DomHandler {
	elements = 0;

	levels = 0;

	constructor(private readonly limits: TreeLimits) {
		super(undefined, { xmlMode: true });
	}

	override onopentag(name: string, attributes: { [key: string]: string }): void {
		this.elements += 1;
		this.levels += 1;
		if (this.levels <= this.limits.levels) super.onopentag(name, attributes);
	}

	override onclosetag(): void {
		if (this.levels <= this.limits.levels) super.onclosetag();
		this.levels -= 1;
	}
}

/** Reads XML, also such as is not well-formed. Yields between pieces of work. */
export function* readXmlTree(xml: string, limits: TreeLimits): Generator<undefined, MarkupTree> {
	const handler = new ShallowHandler(limits);
	let parser = new Parser(handler, { xmlMode: true });
	const length = Math.min(xml.length, limits.length);
	let end = 0;
	while (end < length && handler.elements < limits.elements) {
		const start = end;
		end = Math.min(start + XML_PART, length);
		parser.write(xml.slice(start, end));
		if (handler.levels > MOST_OPEN_ELEMENTS) {
			// Closes all that is open
			parser.end();
			parser = new Parser(handler, { xmlMode: true });
		}
		yield;
	}
	parser.end();
	return { document: handler.root, readLength: end };
}

/** The text of XML without its elements, with references resolved. */
export function xmlText(xml: string): string {
	return textContent(parseDocument(xml, { xmlMode: true }));
}
