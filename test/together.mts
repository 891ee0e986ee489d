import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Folders and files of `test/` that do without n8n's engine; those of a group run as one. */
export const UNIT_GROUPS = {
	content: ['unit/nodes/Kuaidaili/pages/content'],
	pages: ['crawl', 'http', 'output', 'request', 'run'].map(
		(name) => `unit/nodes/Kuaidaili/pages/${name}`,
	),
	proxies: ['actions', 'proxies', 'purchase', 'regionLabel.test.mts', 'run'].map(
		(name) => `unit/nodes/Kuaidaili/${name}`,
	),
	sandbox: ['sandbox', 'unit/harness', 'unit/live'],
	shared: ['unit/credentials', 'unit/nodes/KuaidailiTrigger', 'unit/nodes/shared'],
	tables: [
		...['bench', 'docs', 'e2e', 'operations', 'unit/scripts'],
		...['unit/architecture.test.mts', 'unit/nodes/nodes.test.mts'],
	],
} as const;

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
