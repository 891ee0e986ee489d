// @ts-check
/**
 * Applies the rules with which n8n scans published community packages to the files that would be
 * packed, and to the source, as that scan does. Inline exceptions do not count there.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
	// @ts-expect-error The scanner has no types.
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The packed files stand inside the repository, so that the rules find the packages they need. */
async function unpack() {
	await mkdir(join(root, '.cache'), { recursive: true });
	const folder = await mkdtemp(join(root, '.cache', 'packed-'));
	const report = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{
			cwd: root,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
			shell: process.platform === 'win32',
		},
	);
	const parsed = JSON.parse(report);
	const [{ filename }] = Array.isArray(parsed) ? parsed : Object.values(parsed);
	execFileSync('tar', ['-xzf', filename], { cwd: folder });
	return folder;
}

async function copySource() {
	const folder = await mkdtemp(join(root, '.cache', 'source-'));
	for (const part of ['package.json', 'nodes', 'credentials', 'icons']) {
		await cp(join(root, part), join(folder, part), { recursive: true });
	}
	return folder;
}

const packed = await unpack();
const source = await copySource();
try {
	const results = [
		['the source', await analyzePackage(source, SOURCE_FILE_PATTERNS)],
		[
			'the packed files',
			await analyzePackage(join(packed, 'package'), ['**/*.js', 'package.json']),
		],
	];
	for (const [name, result] of results) {
		console.log(`${result.passed ? 'passed' : 'FAILED'}: ${name}`);
		if (!result.passed) console.log(result.details ?? result.message);
	}
	process.exitCode = results.every(([, result]) => result.passed) ? 0 : 1;
} finally {
	await rm(packed, { recursive: true, force: true });
	await rm(source, { recursive: true, force: true });
}
