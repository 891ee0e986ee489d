import { DomHandler } from 'domhandler';
import { Parser } from 'htmlparser2';

import type { MarkupTree, TreeLimits } from './htmlTree';

/** Characters that are parsed in one piece. */
const XML_PART = 16_384;

/** The parser's time grows with how deeply elements are nested. */
const MOST_OPEN_ELEMENTS = 1000;

/** Makes the tree; what is nested too deeply goes into the last element that is not. */
class ShallowHandler extends DomHandler {
	elements = 0;

	levels = 0;

	/** The first attributes of the tag that is read. */
	private attributes = new Map<string, string>();

	constructor(private readonly limits: TreeLimits) {
		super(undefined, { xmlMode: true });
	}

	onopentagname(): void {
		this.attributes = new Map();
	}

	onattribute(name: string, value: string): void {
		const isFull = this.attributes.size >= this.limits.attributes;
		if (!isFull && !this.attributes.has(name)) this.attributes.set(name, value);
		// The page ends here: the parser's own list would grow with the tag, which may be as long as the page
		if (isFull) this.elements = this.limits.elements;
	}

	override onopentag(name: string): void {
		this.elements += 1;
		this.levels += 1;
		if (this.levels <= this.limits.levels)
			super.onopentag(name, Object.fromEntries(this.attributes));
	}

	/** Comments are no part of a value: a page of millions takes no memory. */
	override oncomment(): void {}

	/** Instructions within elements are none either. */
	override onprocessinginstruction(name: string, data: string): void {
		if (this.levels > 0) return;
		this.elements += 1;
		super.onprocessinginstruction(name, data);
	}

	/** The one of an element that has nothing else does not count: product lists are full of them. */
	override oncdatastart(): void {
		const { children } = this.tagStack[this.tagStack.length - 1];
		if (children.length > 0) this.elements += 2;
		super.oncdatastart();
	}

	override onclosetag(): void {
		if (this.levels <= this.limits.levels) super.onclosetag();
		this.levels -= 1;
	}
}

/** The beginning of XML in which a document type may stand. */
const LONGEST_PROLOG = 20_000;

/** XML without the declarations in its document type: the parser would take the `>` of the first for the end of all. */
function withoutDeclarations(xml: string): string {
	const prolog = xml.slice(0, LONGEST_PROLOG);
	const start = Math.max(0, prolog.search(/<!DOCTYPE/i));
	const [all, type] = /^(<!DOCTYPE[^[>]*)\[[^]*?\]\s*>/i.exec(prolog.slice(start)) ?? [];
	return all === undefined ? xml : `${xml.slice(0, start)}${type}>${xml.slice(start + all.length)}`;
}

/** Reads XML, also such as is not well-formed. Yields between pieces of work. */
export function* readXmlTree(source: string, limits: TreeLimits): Generator<undefined, MarkupTree> {
	const xml = withoutDeclarations(source);
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
	return { document: handler.root, readLength: end === xml.length ? source.length : end };
}

/** An observer of markup that is parsed. Names are as they are written, in HTML in lower case. */
export interface MarkupEvents {
	onopentagname?(name: string): void;
	onattribute?(name: string, value: string): void;
	/** The tag with all of its attributes. */
	onopentag?(name: string, attributes: Readonly<Record<string, string>>): void;
	ontext?(part: string): void;
	onclosetag?(name: string): void;
}

/**
 * A parser that makes no tree, but tells of what comes. Markup that is not well-formed is parsed, too.
 *
 * @param isXml whether it is XML, rather than HTML
 */
export function markupParser(events: MarkupEvents, isXml: boolean): { write(part: string): void } {
	return new Parser(events, { xmlMode: isXml });
}
