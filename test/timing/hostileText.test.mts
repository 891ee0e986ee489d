import { TEXT_READERS, type TextReader } from './textReaders.mts';

const SIZE = 2_000_000;

/** Parts that a text repeats: each is what some pattern waits for the end of. */
const PARTS = [
	...[
		' ',
		'\n',
		'a',
		'1',
		'中',
		'<',
		'&',
		'&amp;',
		'"',
		'\\',
		'`',
		'*',
		'_a',
		'~~',
		'[',
		'](',
		'|',
	],
	...[
		'#',
		'1. ',
		';',
		',',
		'://',
		'http://a/',
		'%e4',
		'{"a":',
		'=?utf-8?q?',
		'charset=',
		'<a ',
		'<a>',
	],
	...['<!--', ']]>', '<p>', '<b><i></b>', '<td>', '<li>', '<br>', '\u00ad', ' a', 'a\n'],
];

/** Processor time of this process in ms: others on the machine do not count. */
function processorTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

async function longestPiece(read: TextReader, text: string): Promise<number> {
	let [since, longest] = [processorTime(), 0];
	const pause = async () => {
		longest = Math.max(longest, processorTime() - since);
		since = processorTime();
	};
	await read(text, pause);
	await pause();
	return longest;
}

// Twice what is allowed: the collector of garbage works for all pieces, in threads of its own
const LONGEST_MS = 400;

it.each(Object.entries(TEXT_READERS))(
	'%s holds up nothing',
	async (_name, read) => {
		const slow: Array<readonly [part: string, ms: number]> = [];
		for (const part of PARTS) {
			const text = part.repeat(SIZE / part.length);
			let ms = await longestPiece(read, text);
			// The first time, it is not compiled yet
			if (ms > LONGEST_MS) ms = Math.min(ms, await longestPiece(read, text));
			if (ms > LONGEST_MS) slow.push([part, Math.round(ms)]);
		}
		expect(slow).toEqual([]);
	},
	600_000,
);
