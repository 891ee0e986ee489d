/**
 * Usage: npm run test:broken [-- parts of paths or words]. Breaks one line of the product after the other, each in a
 * copy of the repository, and runs the tests that have to notice. It fails for a line that nobody notices, and at
 * once for one that does not stand in the product exactly once, as `npm test` does.
 */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { startChild, stopChild } from '../../scripts/children.mjs';
import { npmCommand } from '../../scripts/npm.mjs';
import { onShutdown, shutDown } from '../../scripts/shutdown.mjs';
import { BROKEN_LINES, movedLines, type BrokenLine } from './lines.mts';

const require = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, '../..');
const COPY = join(ROOT, '.cache/broken');
const COPIED = ['credentials', 'dist', 'harness', 'icons', 'nodes', 'sandbox', 'scripts', 'test'];
const SINGLE_FILES = ['gulpfile.js', 'jest.config.cjs', 'package.json', 'tsconfig.json'];

async function run(cwd: string, [command = '', ...args]: readonly string[]): Promise<string> {
	const child = startChild(command, args, { cwd });
	const forget = onShutdown(() => stopChild(child, 2_000));
	const said: Buffer[] = [];
	child.stdout.on('data', (piece: Buffer) => said.push(piece));
	child.stderr.resume();
	await new Promise((resolve) => child.once('close', resolve));
	forget();
	return Buffer.concat(said).toString();
}

async function copyRepository(): Promise<void> {
	await rm(COPY, { recursive: true, force: true });
	await mkdir(COPY, { recursive: true });
	for (const name of [...COPIED, ...SINGLE_FILES]) {
		await cp(join(ROOT, name), join(COPY, name), { recursive: true });
	}
	await symlink(join(ROOT, 'node_modules'), join(COPY, 'node_modules'));
}

/** The file, and what is built of it. */
async function write(file: string, text: string): Promise<void> {
	await writeFile(join(COPY, 'nodes', file), text);
	await run(COPY, [process.execPath, join(ROOT, 'node_modules/gulp/bin/gulp.js'), 'bundle']);
}

/** @returns what is wrong, if anything */
async function tryOut({ file, right, wrong, tests }: BrokenLine): Promise<string | undefined> {
	const text = await readFile(join(ROOT, 'nodes', file), 'utf8');
	// Not as a pattern: a '$' of the code is a character
	await write(
		file,
		text.replace(right, () => wrong),
	);
	const said = await run(COPY, [
		process.execPath,
		require.resolve('jest/bin/jest'),
		'-w',
		'1',
		'--json',
		...tests,
	]);
	await write(file, text);
	const { numFailedTests = 0, numTotalTests = 0 } = JSON.parse(said || '{}');
	if (numTotalTests === 0) return `no tests in ${tests.join(', ')}`;
	return numFailedTests > 0 ? undefined : `${numTotalTests} tests have not noticed`;
}

const words = process.argv.slice(2);
const chosen = BROKEN_LINES.filter(
	({ file, harm }) => words.length === 0 || words.some((word) => `${file} ${harm}`.includes(word)),
);
const moved = await movedLines();
for (const text of moved) console.log(`Adapt test/broken/lines.mts: ${text}`);
if (moved.length > 0) process.exit(1);
await run(ROOT, [...npmCommand(), 'run', '--silent', 'build']);
await copyRepository();
let unnoticed = 0;
for (const broken of chosen) {
	const problem = await tryOut(broken);
	if (problem !== undefined) unnoticed += 1;
	console.log(`${problem === undefined ? 'noticed' : 'MISSED '}: ${broken.file}: ${broken.harm}`);
	if (problem !== undefined) console.log(`         ${problem}`);
}
// What is built there would be linted
await rm(COPY, { recursive: true, force: true });
console.log(`${chosen.length - unnoticed} of ${chosen.length} broken lines were noticed.`);
await shutDown();
process.exit(unnoticed === 0 ? 0 : 1);
