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

/** Values are texts, and a repeated element is a list. Throws Error for what is not well-formed, such as cut off. */
export function parseXml(text: string): unknown {
	// The parser accepts a truncated document as a shorter one
	const validation = XMLValidator.validate(text);
	if (validation !== true) throw new Error(validation.err.msg);
	return parser.parse(text);
}
