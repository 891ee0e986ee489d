import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { loadBuiltPackage, type BuiltPackage } from '../../../harness/engine/builtPackage.mts';

export const builtPackage = loadBuiltPackage();

/** Compiling half a megabyte takes longer than most tests. */
const compiled = new Map<string, ReturnType<typeof Function>>();

function compiledFile(file: string) {
	const known = compiled.get(file);
	if (known) return known;
	const run = new Function('module', 'exports', 'require', readFileSync(file, 'utf8'));
	compiled.set(file, run);
	return run;
}

/** Loaded anew, with nothing in memory: what a second process of n8n, such as a queue worker, has. */
export function loadForAnotherProcess(): BuiltPackage {
	const loaded = new Map<string, { exports: unknown }>();
	const load = (file: string): unknown => {
		const known = loaded.get(file);
		if (known) return known.exports;
		const module = { exports: {} };
		loaded.set(file, module);
		// In a process there is one copy only of n8n's own, for n8n itself and for the package
		const loadInside = (name: string) =>
			name.startsWith('.') ? load(join(dirname(file), name)) : require(name);
		compiledFile(file)(module, module.exports, loadInside);
		return module.exports;
	};
	return loadBuiltPackage(load);
}
