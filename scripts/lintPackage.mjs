// @ts-check
/**
 * Applies the rules with which n8n scans published community packages to the files that would be
 * packed, and to the source, as that scan does. Inline exceptions do not count there. Beside them, no built file
 * may hold data that the scans of other parties take for hidden code.
 */
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
	// @ts-expect-error The scanner has no types.
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { inTemporaryFolder, ROOT, unpackInto } from './packedPackage.mjs';
import { suspiciousData } from './suspiciousData.mjs';

/**
 * The entities of HTML, once, which are two texts, and the characters of Chinese, Japanese, and Korean encodings.
 *
 * @type {Readonly<Record<string, number>>}
 */
const KNOWN_TABLES = { 'htmlTree.js': 2, 'encodings.js': 3 };

/**
 * @param {string} name
 * @param {{ passed: boolean, details?: string, message?: string }} result
 */
function report(name, { passed, details, message }) {
	console.log(`${passed ? 'passed' : 'FAILED'}: ${name}`);
	if (!passed) {
		console.log(details ?? message);
		process.exitCode = 1;
	}
}

await inTemporaryFolder('source', async (folder) => {
	for (const part of ['package.json', 'nodes', 'credentials', 'icons']) {
		await cp(join(ROOT, part), join(folder, part), { recursive: true });
	}
	report('the source', await analyzePackage(folder, SOURCE_FILE_PATTERNS));
});
await inTemporaryFolder('packed', async (folder) => {
	const unpacked = unpackInto(folder);
	report('the packed files', await analyzePackage(unpacked, ['**/*.js', 'package.json']));
	const found = [];
	for (const file of await readdir(unpacked, { recursive: true })) {
		if (!file.endsWith('.js')) continue;
		const code = await readFile(join(unpacked, file), 'utf8');
		const known = KNOWN_TABLES[basename(file)] ?? 0;
		found.push(...suspiciousData(code, known).map((what) => `${file}: ${what}`));
	}
	report('the data in the packed files', { passed: found.length === 0, details: found.join('\n') });
});
