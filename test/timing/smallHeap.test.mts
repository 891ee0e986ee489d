import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const [RUN, PROGRAM] = ['../../scripts/run.mjs', 'smallHeap.mts'].map((file) =>
	fileURLToPath(new URL(file, `file://${__filename}`)),
);

/** In MB, with about 50 for the program itself. Each of these works takes far more if it keeps what it read. */
const HEAP_MB = 150;

it.each([
	['parts of 60 pages of 2 MB', 'values', 60],
	['eight pages of 100,000 elements that are open at the same time', 'trees', 8],
	['a body of 4 MB of which each byte comes by itself', 'bytes', 4_000_000],
])(
	'%s have room in a small heap',
	async (_what, work, count) => {
		const heap = `--max-old-space-size=${HEAP_MB}`;
		const { stdout } = await promisify(execFile)(process.execPath, [
			...[heap, RUN, PROGRAM, work, String(count)],
		]);
		expect(stdout).toMatch(/^\d+ MB for \d+ characters\n$/);
	},
	600_000,
);
