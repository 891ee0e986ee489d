import { XMLParser, XMLValidator } from 'fast-xml-parser';

const parser = new XMLParser({
	ignoreAttributes: true,
	ignoreDeclaration: true,
	// Values stay texts: a port such as "0080" or a long number must not change
	parseTagValue: false,
	trimValues: true,
	// Chinese text may come as numeric character references
	htmlEntities: true,
});

/**
 * Reads an XML document into nested objects. Values are texts, a repeated element is a list,
 * an element that stands alone is not.
 *
 * @throws Error when the document is not well-formed, cut off for example
 */
export function parseXml(text: string): unknown {
	// The parser accepts a truncated document as a shorter one
	const verdict = XMLValidator.validate(text);
	if (verdict !== true) throw new Error(verdict.err.msg);
	return parser.parse(text);
}
