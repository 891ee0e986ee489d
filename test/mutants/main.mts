/**
 * `npm run test:mutants`: makes mistakes in the product, chosen at random, and runs for each the tests that meet it.
 * Names each mistake that no test notices.
 */
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { randomInt, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';

import { startChild, stopChild } from '../../scripts/children.mjs';
import { readCommandLine, wholeNumber } from '../../scripts/commandLine.mts';
import { npmCommand } from '../../scripts/npm.mjs';
import { onShutdown, shutDown } from '../../scripts/shutdown.mjs';
import { type Point, pointsOf } from './points.mts';

const require = createRequire(import.meta.url);

const usage = `Usage: npm run test:mutants [-- options]

  --count <n>     how many mistakes to make (40 if not given)
  --seed <n>      the same mistakes as in an earlier run (random if not given)
  --only <text>   only in files with this in their path, such as Kuaidaili/purchase
  --tests <text>  only tests with this in their path, such as purchase; may be given several times
  --workers <n>   how many to try at a time (as many as there are processors if not given)
  --help          show this`;

const ROOT = join(import.meta.dirname, '../..');
const COPY = join(ROOT, '.cache/mutants');
const COPIED = [
	...['credentials', 'nodes', 'icons', 'dist', 'sandbox', 'harness', 'scripts', 'test'],
	...['demo', 'docs', 'examples', 'README.md'],
	...[
		'gulpfile.js',
		'jest.config.cjs',
		'jest.together.config.cjs',
		'package.json',
		'tsconfig.json',
	],
];
const SOURCES = ['credentials', 'nodes'];
const MEETINGS = join(COPY, 'meetings.jsonl');
const TEMPORARY = join(COPY, 'tmp');
/** Tests of what is no product, or is not copied. */
const OTHER_TESTS = 'test/((bench|e2e|sandbox|timing|unit/(harness|live|scripts))/|docs/release)';

/** First some tests of the files that are nearest by their names, then more of all. */
const ROUNDS = [
	{ files: 2, tests: 20 },
	{ files: 8, tests: 60 },
	{ files: Infinity, tests: 400 },
	{ files: Infinity, tests: Infinity },
] as const;

const LONGEST_BASELINE_MS = 2 * 60 * 60_000;
/** Some mistakes make a loop endless. */
const SHORTEST_LIMIT_MS = 90_000;

interface MetTest {
	readonly file: string;
	readonly name: string;
	readonly ms: number;
	readonly met: ReadonlySet<number>;
}

const given = readCommandLine(usage, {
	count: { type: 'string' },
	seed: { type: 'string' },
	only: { type: 'string' },
	tests: { type: 'string', multiple: true },
	workers: { type: 'string' },
});
const count = wholeNumber(usage, given.count ?? '40', { least: 1, most: 10_000 });
const seed = wholeNumber(usage, given.seed ?? String(randomInt(1, 1e9)), { least: 1, most: 1e9 });
const workers = wholeNumber(usage, given.workers ?? String(availableParallelism()), {
	least: 1,
	most: 64,
});
/** How many times as long as alone a test may take, because others take turns with it. */
const SLOWDOWN = Math.max(1, workers / availableParallelism());

interface Ended {
	/** `undefined` after the time limit. */
	readonly code: number | null | undefined;
	readonly said: string;
}

async function run(
	args: readonly string[],
	longestMs: number,
	variables: Readonly<Record<string, string>> = {},
	cwd = COPY,
): Promise<Ended> {
	const [command = process.execPath, ...others] = args;
	const env = { ...process.env, TMPDIR: TEMPORARY, ...variables };
	const child = startChild(command, others, { cwd, env });
	const forget = onShutdown(() => stopChild(child, 2_000));
	const said: Buffer[] = [];
	child.stdout.on('data', (piece: Buffer) => said.push(piece));
	child.stderr.resume();
	let isOver = false;
	const timer = setTimeout(() => {
		isOver = true;
		void stopChild(child, 1_000);
	}, longestMs);
	const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
	clearTimeout(timer);
	forget();
	return { code: isOver ? undefined : code, said: Buffer.concat(said).toString() };
}

async function runJest(
	args: readonly string[],
	longestMs: number,
	variables: Readonly<Record<string, string>>,
): Promise<Ended> {
	const jest = [require.resolve('jest/bin/jest'), '--config', 'test/mutants/jest.config.cjs'];
	return await run([process.execPath, ...jest, ...args], longestMs, variables);
}

async function copyRepository(): Promise<void> {
	await rm(COPY, { recursive: true, force: true });
	await mkdir(TEMPORARY, { recursive: true });
	for (const name of COPIED) await cp(join(ROOT, name), join(COPY, name), { recursive: true });
	await symlink(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
}

async function allPoints(): Promise<Point[]> {
	const points: Point[] = [];
	for (const folder of SOURCES) {
		const names = await readdir(join(COPY, folder), { recursive: true });
		const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
		for (const file of files.sort().map((name) => join(folder, name))) {
			points.push(...pointsOf(file, await readFile(join(COPY, file), 'utf8')));
		}
	}
	return points.filter(({ file }) => file.includes(given.only ?? ''));
}

/** So many points in random order, none inside another. */
function choose(points: readonly Point[]): Point[] {
	const shuffled = fc.shuffledSubarray([...points], { minLength: points.length });
	const [random = []] = fc.sample(shuffled, { seed, numRuns: 1 });
	const chosen: Point[] = [];
	for (const point of random) {
		if (chosen.length === count) break;
		const overlaps = ({ file, start, end }: Point) =>
			file === point.file && start < point.end && point.start < end;
		if (!chosen.some(overlaps)) chosen.push(point);
	}
	return chosen;
}

/** Writes all mistakes into the copy; each is turned on by its number. */
async function plant(points: readonly Point[]): Promise<void> {
	for (const file of new Set(points.map((point) => point.file))) {
		let text = await readFile(join(COPY, file), 'utf8');
		const own = [...points.entries()].filter(([, point]) => point.file === file);
		for (const [id, point] of own.sort(([, a], [, b]) => b.start - a.start)) {
			text = text.slice(0, point.start) + point.withSwitch(id + 1) + text.slice(point.end);
		}
		await writeFile(join(COPY, file), text);
	}
	const gulp = join(ROOT, 'node_modules/gulp/bin/gulp.js');
	const { code, said } = await run([process.execPath, gulp, 'bundle'], LONGEST_BASELINE_MS);
	if (code !== 0) throw new Error(`The copy cannot be built:\n${said}`);
}

/** Runs all tests without a mistake; those that fail, such as tests of the source's text, are left out. */
async function testsWithMeetings(): Promise<MetTest[]> {
	const paths = given.tests === undefined ? [] : ['--testPathPatterns', ...given.tests];
	const args = ['--testPathIgnorePatterns', OTHER_TESTS, ...paths];
	const listed = await runJest([...args, '--listTests'], LONGEST_BASELINE_MS, {});
	await runJest(args, LONGEST_BASELINE_MS, { MEETINGS });
	const written = await readFile(MEETINGS, 'utf8').catch(() => '');
	if (written === '') throw new Error('No test was run.');
	const lines = written.trim().split('\n');
	const files = lines.map(
		(
			line,
		): {
			file: string;
			met: number[];
			tests: Array<{ name: string; ms: number; failed: boolean; met: number[] }>;
		} => JSON.parse(line),
	);
	const known = new Set(files.map(({ file }) => file));
	const broken = listed.said
		.trim()
		.split('\n')
		.filter((file) => !known.has(file));
	if (broken.length > 0) throw new Error(`These can't be run in the copy:\n${broken.join('\n')}`);
	const failing = files.flatMap(({ tests }) => tests.filter(({ failed }) => failed));
	for (const { name } of failing) console.log(`fails without a mistake, left out: ${name}`);
	return files.flatMap(({ file, met, tests }) =>
		tests
			.filter(({ failed }) => !failed)
			.map(({ name, ms, met: own }) => ({ file, name, ms, met: new Set([...met, ...own]) })),
	);
}

function byFile(tests: readonly MetTest[]): Map<string, MetTest[]> {
	const files = new Map<string, MetTest[]>();
	for (const test of tests) files.set(test.file, [...(files.get(test.file) ?? []), test]);
	return files;
}

/** How many names of folders and files they share. */
function nearness(test: string, source: string): number {
	const words = (path: string) => path.split(/[/\\.]/);
	return words(source).filter((word) => words(relative(COPY, test)).includes(word)).length;
}

/** Of the nearest files first, one test of each in turn; in a file, first those that meet the least else. */
function ranked(tests: readonly MetTest[], source: string): MetTest[][] {
	return [...byFile(tests)]
		.sort(([a], [b]) => nearness(b, source) - nearness(a, source))
		.map(([, own]) => own.sort((a, b) => a.met.size - b.met.size));
}

function inTurn(files: readonly MetTest[][], most: number): MetTest[] {
	const longest = Math.max(0, ...files.map((tests) => tests.length));
	const turns = Array.from({ length: longest }, (_none, n) => files.flatMap((own) => own[n] ?? []));
	return turns.flat().slice(0, most);
}

/** @returns which of them fails with this mistake turned on, or without any (0) */
async function failing(id: number, tests: readonly MetTest[]): Promise<string | undefined> {
	if (tests.length === 0) return undefined;
	const files = byFile(tests);
	const names = [...files].map(([file, own]) => [file, own.map(({ name }) => name)]);
	const CHOSEN = join(TEMPORARY, `${randomUUID()}.json`);
	await writeFile(CHOSEN, JSON.stringify(Object.fromEntries(names)));
	const usualMs = tests.reduce((sum, { ms }) => sum + ms, 0) + 5_000 * files.size;
	const { code, said } = await runJest(
		['--runInBand', '--runTestsByPath', ...files.keys()],
		SLOWDOWN * Math.max(SHORTEST_LIMIT_MS, 5 * usualMs),
		{ MUTANT: String(id), CHOSEN },
	);
	if (code === 0) return undefined;
	if (code === undefined) return 'no end';
	return said.trim().split('\n').at(-1)?.replace(`${COPY}/`, '') ?? 'an error';
}

/** As `failing`; a test that fails without the mistake too proves nothing, and the others are asked. */
async function noticedBy(id: number, tests: readonly MetTest[]): Promise<string | undefined> {
	const notice = await failing(id, tests);
	const file = [...byFile(tests).keys()].find((one) => notice?.includes(relative(COPY, one)));
	// Tests that share one n8n may rest on those that were not chosen
	if (notice === undefined || file?.includes('/together/') !== true) return notice;
	const own = tests.filter((test) => test.file === file);
	const otherwise = await failing(0, own);
	if (otherwise === undefined) return notice;
	console.log(`fails without the mistake too: ${otherwise}`);
	const isBroken = (test: MetTest) => test.file === file && otherwise.endsWith(`: ${test.name}`);
	const others = tests.filter((test) => !isBroken(test));
	return await noticedBy(
		id,
		others.length < tests.length ? others : tests.filter((test) => test.file !== file),
	);
}

const build = await run(
	[...npmCommand(), 'run', '--silent', 'build'],
	LONGEST_BASELINE_MS,
	{},
	ROOT,
);
if (build.code !== 0) throw new Error(build.said);
await copyRepository();
const points = choose(await allPoints());
await plant(points);
console.log(`${points.length} mistakes, with the seed ${seed}. First all tests without any.`);
const tests = await testsWithMeetings();
let missed = 0;

/** Runs the tests that meet it, and tells who notices. */
async function tryOut(id: number, { file, line, right, mistake }: Point): Promise<void> {
	const meeting = tests.filter(({ met }) => met.has(id));
	const files = ranked(meeting, file);
	const tried: MetTest[] = [];
	let notice: string | undefined;
	for (const round of ROUNDS) {
		if (notice !== undefined) break;
		const some = inTurn(files.slice(0, round.files), round.tests);
		const next = some.filter((test) => !tried.includes(test));
		notice = await noticedBy(id, next);
		tried.push(...next);
	}
	if (notice === undefined) missed += 1;
	const shown = right.replaceAll(/\s+/g, ' ').slice(0, 100);
	const verdict = notice === undefined ? 'MISSED ' : 'noticed';
	const by = notice ?? `${tried.length} of ${meeting.length} tests that meet it`;
	console.log(`${verdict} ${file}:${line}: "${shown}" ${mistake} [${by}]`);
}

const waiting = points.entries();
async function tryOutWaiting(): Promise<void> {
	for (const [index, point] of waiting) await tryOut(index + 1, point);
}
await Promise.all(Array.from({ length: workers }, tryOutWaiting));
console.log(`${points.length - missed} of ${points.length} mistakes were noticed.`);
await rm(COPY, { recursive: true, force: true });
await shutDown();
