// @ts-check
/**
 * Applies the rules with which n8n scans published community packages to the files that would be
 * packed, and to the source, as that scan does. Inline exceptions do not count there.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
	// @ts-expect-error The scanner has no types.
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { inTemporaryFolder, ROOT, unpackInto } from './packedPackage.mjs';

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
	report('the packed files', await analyzePackage(unpackInto(folder), ['**/*.js', 'package.json']));
});
