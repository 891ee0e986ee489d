import { numbersOfColumn } from '../../../../../../nodes/Kuaidaili/pages/content/numbers.ts';

const noPause = async () => undefined;

/** Texts as pages write them, each alone on its page. */
const ALONE: ReadonlyArray<readonly [text: string, value: number | null, language?: string]> = [
	// German
	['EUR 1.299.000,50', 1299000.5],
	['12,- €', 12],
	['1.299', 1299, 'de'],
	['1,299', 1.299, 'de'],
	// English
	['1,299.5', 1299.5],
	['$1,299', 1299, 'en-US'],
	['$.99', 0.99],
	['$-5.50', -5.5],
	['(1,024 reviews)', 1024],
	['2.5K views', 2500],
	['1.2M', 1200000],
	['COVID-19', 19],
	['$1.2 billion', 1200000000],
	['900 million', 900000000],
	['5 milk', 5],
	['1½ cups', 1.5],
	// French, Swedish, Russian, Polish, Czech
	['1 299,00 €', 1299],
	['1 299,00 €', 1299],
	['1 299 kr', 1299],
	['12 345 678', 12345678],
	['−3', -3],
	['−3,5 °C', -3.5],
	['2 499,- Kč', 2499],
	['1,2 Mio. €', 1200000, 'de'],
	['12 тыс. просмотров', 12000, 'ru'],
	// Swiss, Italian, Portuguese, Turkish
	["CHF 1'299.50", 1299.5],
	['CHF 1’299.–', 1299],
	['CHF 1´299.50', 1299.5],
	// Indian
	['₹1,23,456.78', 123456.78],
	// Chinese, Japanese, Korean
	['¥1,299', 1299, 'zh-CN'],
	['￥１，２９９．５０', 1299.5],
	['3.5万人付款', 35000],
	['2,980円(税込)', 2980, 'ja'],
	['1億2,800万円', 128000000, 'ja'],
	['3만 5천원', 35000],
	['3万5万', 30000],
	['5千克', 5],
	['10万 20人在看', 100000],
	['1만', 10000],
	// Arabic, Persian, Hindi
	['١٬٢٩٩٫٥٠', 1299.5],
	['۱۲۳۴', 1234],
	['₹१२३', 123],
	// Whole and small ones
	['1.000.000', 1000000],
	['+7', 7],
	// None
	['', null],
	['sold out', null],
	['12.05.2024', null],
	['1,5,299.50', null],
	['–', null],
];

it.each(ALONE.map(([text, value, language = '']) => ({ text, value, language })))(
	'$text is $value $language',
	async ({ text, value, language }) => {
		expect((await numbersOfColumn([text], language, noPause)).values).toEqual([value]);
	},
);

it.each<[string, string[], string, number[], boolean]>([
	['decimals of other rows', ['1.299', '12.50'], '', [1.299, 12.5], false],
	['decimal commas of other rows', ['1.299', '12,50'], 'en', [1299, 12.5], false],
	['thousands of other rows', ['1.299', '1.299.000'], 'en', [1299, 1299000], false],
	['the language', ['1.299', '2.499'], 'de', [1299, 2499], false],
	['the language of decimals', ['1.299', '2.499'], 'en', [1.299, 2.499], false],
	['nothing, which is told', ['1.299', '2.499'], '', [1299, 2499], true],
	['nothing, in a language that nobody knows', ['1.299'], 'x y', [1299], true],
	['nothing, where nothing is open', ['12', '1299'], '', [12, 1299], false],
])('a column goes by %s', async (_what, texts, language, values, isAmbiguous) => {
	expect(await numbersOfColumn(texts, language, noPause)).toEqual({ values, isAmbiguous });
});

it('lists, numbers, and what is none stay in their places', async () => {
	const column = [['1,5', 'x'], 2, null, undefined, { a: 1 }, '1.299', []];
	expect((await numbersOfColumn(column, '', noPause)).values).toEqual([
		[1.5, null],
		2,
		null,
		null,
		null,
		1299,
		[],
	]);
});
