import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The test files of a folder of `test/` that need no process of their own, or the one file. */
export function testFiles(name: string): string[] {
	const path = join(__dirname, name);
	if (statSync(path).isFile()) return [path];
	return readdirSync(path, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.test.mts') && !file.endsWith('.alone.test.mts'))
		.sort()
		.map((file) => join(path, file));
}

/**
 * Runs test files as one, because what they load takes longer to load than most of them to run. What a helper says at
 * its top level with `beforeEach` or `afterEach` holds for the first file only that imports it.
 */
export function runAsOne(files: readonly string[], atEndOfEach = () => {}): void {
	for (const file of files) {
		describe(relative(__dirname, file), () => {
			require(file);
			afterAll(atEndOfEach);
		});
	}
}
