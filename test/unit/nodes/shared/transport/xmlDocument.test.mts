import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';

import { parseXml } from '../../../../../nodes/shared/transport/xmlDocument.ts';
import { MANY_RUNS } from '../../../support/properties.mts';

const library = new XMLParser({
	ignoreAttributes: true,
	ignoreDeclaration: true,
	ignorePiTags: true,
	parseTagValue: false,
	trimValues: true,
	htmlEntities: true,
});

/** What a general parser of XML says; undefined when it refuses the document. */
function byLibrary(document: string): unknown {
	try {
		return XMLValidator.validate(document) === true ? library.parse(document) : undefined;
	} catch {
		return undefined;
	}
}

function byPackage(document: string): unknown {
	try {
		return parseXml(document);
	} catch {
		return undefined;
	}
}

const name = fc.constantFrom('a', 'proxy', 'proxy_list', 'n:s', 'x-1.y', '城市', 'é');
const space = fc.constantFrom('', ' ', '\n\t', '\r\n');
const word = fc.constantFrom(
	...[
		'1.2.3.4:80',
		'0080',
		'北京',
		'&amp;',
		'&lt;b&gt;',
		'&quot;',
		'&apos;',
		'&#21271;',
		'&#x4EAC;',
	],
	...['true', 'null', '>', ']]', '"', "'", '=', '😀', '-->', '/>', '?>'],
);
const attributes = fc
	.uniqueArray(name, { maxLength: 3 })
	.chain((names) =>
		fc.tuple(
			...names.map((each) =>
				fc.constantFrom(` ${each}="1>'2"`, ` ${each} = '"'`, `\n${each}=""`, ` ${each}='/'`),
			),
		),
	)
	.map((all) => all.join(''));

/** An element with words, or with elements, as the service's answers have them. */
const { element } = fc.letrec<{ element: string; words: string; elements: string }>((tie) => ({
	words: fc.oneof(
		fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
		word.map((each) => `<![CDATA[${each.replaceAll(']]', ']')}<c>&amp;]]>`),
	),
	elements: fc
		.array(fc.oneof(tie('element'), fc.constantFrom('<!-- <a> & -->', '<?p <i> ?>')), {
			minLength: 1,
			maxLength: 4,
		})
		.chain((parts) => space.map((between) => between + parts.join(between) + between)),
	element: fc
		.tuple(name, attributes, space, fc.oneof({ maxDepth: 4 }, tie('words'), tie('elements')))
		.chain(([tag, given, blank, inside]) =>
			fc.constantFrom(
				`<${tag}${given}${blank}>${blank}${inside}${blank}</${tag}${blank}>`,
				`<${tag}${given}${blank}/>`,
			),
		),
}));
const document = fc
	.tuple(fc.constantFrom('', '<?xml version="1.0" encoding="utf-8"?>\n', '<!-- - -->'), element)
	.map(([before, root]) => before + root);

describe('a well-formed document', () => {
	it('is read as a general parser reads it', () => {
		let read = 0;
		fc.assert(
			fc.property(document, (text) => {
				const expected = byLibrary(text);
				fc.pre(expected !== undefined);
				read++;
				expect(parseXml(text)).toEqual(expected);
			}),
			MANY_RUNS,
		);
		expect(read).toBeGreaterThan(0);
	});

	it.each([
		['<a><__proto__>1</__proto__></a>', '__proto__'],
		['<a><constructor>1</constructor></a>', 'constructor'],
	])('with the name of a property of every object has it as its own: %s', (text, key) => {
		const { a } = parseXml(text) as { a: object };
		expect(Object.entries(a)).toEqual([[key, '1']]);
		expect(Object.getPrototypeOf(a)).toBe(Object.prototype);
	});

	it('keeps entities that are not known as they are', () => {
		expect(parseXml('<a>&middot;&AMP;&amp;amp;</a>')).toEqual({ a: '&middot;&AMP;&amp;' });
	});

	it('leaves out what stands beside elements', () => {
		expect(parseXml('<a>x<b>1</b>y</a>')).toEqual({ a: { b: '1' } });
	});

	it('of many megabytes is read', () => {
		const text = 'x'.repeat(20_000_000);
		expect(parseXml(`<a>${text}</a>`)).toEqual({ a: text });
		const many = '<b i="1">1</b>'.repeat(500_000);
		expect(parseXml(`<a>${many}</a>`)).toEqual({ a: { b: expect.any(Array) } });
	});
});

describe('a document that is not well-formed', () => {
	const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 3 });

	it('is refused where a general parser refuses it', () => {
		const damaged = fc
			.tuple(element, fc.nat(), fc.nat(3), fc.oneof(ascii, fc.constantFrom(...'<>/&"=!?]')))
			.map(([text, at, length, put]) => {
				const position = at % text.length;
				return text.slice(0, position) + put + text.slice(position + length);
			});
		fc.assert(
			fc.property(damaged, (text) => {
				// Of instructions the library refuses some that are well-formed
				fc.pre(!text.includes('<?') && byPackage(text) !== undefined);
				expect(byLibrary(text)).toBeDefined();
			}),
			MANY_RUNS,
		);
	});

	it.each([
		'',
		'text',
		'<a>',
		'<a></b>',
		'<a></a><a></a>',
		'<a></a>rest',
		'before<a></a>',
		'<a b></a>',
		'<a b=1></a>',
		'<a b="1></a>',
		'<a ="1"></a>',
		'<a b="<"></a>',
		'<1></1>',
		'<a><![CDATA[</a>',
		'<a><!-- </a>',
		'<a>x & y</a>',
		'<a>&#1114112;</a>',
		'<a>&#xFFFFFF;</a>',
		'<a>< b></b></a>',
		'</a>',
		'<?xml version="1.0"?>',
		'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
		'<!DOCTYPE a><a/>',
	])('is refused: %s', (text) => {
		expect(() => parseXml(text)).toThrow();
	});

	it('at any cut is refused', () => {
		const text = '<?xml version="1.0"?><a b="1"><c>&amp;<![CDATA[x]]></c><d/><!-- e --></a>';
		for (let length = 0; length < text.length; length++) {
			expect(() => parseXml(text.slice(0, length))).toThrow();
		}
		expect(parseXml(text)).toEqual({ a: { c: '&x', d: '' } });
	});

	it('because it is nested without end is refused, and soon', () => {
		const depth = 1_000_000;
		expect(() => parseXml('<a>'.repeat(depth) + '</a>'.repeat(depth))).toThrow(/deeply/);
		expect(() => parseXml('<a>'.repeat(101) + '</a>'.repeat(101))).toThrow(/deeply/);
		expect(() => parseXml('<a>'.repeat(100) + '</a>'.repeat(100))).not.toThrow();
	});

	it.each([
		['<', '<'],
		['<a ', ' '],
		['<a ', ' b="1"'],
		['<a', 'a'],
		['<!--', '-'],
		['<![CDATA[', ']'],
		['<a>', '&'],
		['<a b="', 'x'],
	])('costs no more than its length: %j and many times %j', (begin, repeated) => {
		const started = performance.now();
		expect(() => parseXml(begin + repeated.repeat(200_000))).toThrow();
		// Squared, it would take minutes
		expect(performance.now() - started).toBeLessThan(5_000);
	});
});
