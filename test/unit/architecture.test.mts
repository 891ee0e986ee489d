import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { testFiles, UNIT_GROUPS } from '../together.mts';

const ROOT = path.join(__dirname, '../..');

/** Imports of types alone leave nothing in the built files. */
const IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)';/gm;

const sources = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => path.join(folder, name)),
);

/** The same with types: a file that holds nothing else is used, too. */
const IMPORT_OR_TYPE = /^(?:import|export)\s[^;]*?from '(\.[^']+)';/gm;

/** The files that a file imports for more than their types. */
function importsOf(file: string, pattern = IMPORT): string[] {
	const text = readFileSync(path.join(ROOT, file), 'utf8');
	return [...text.matchAll(pattern)].map(([, target]) => path.join(path.dirname(file), target));
}

function isInside(folder: string, other: string): boolean {
	return folder.startsWith(other + path.sep);
}

/** What leads to what, and by which import. */
type Ways = Map<string, Map<string, string>>;

/** Each folder with those that its files import from; a folder and one inside it count as one. */
const folders: Ways = new Map<string, Map<string, string>>();
for (const file of sources) {
	const from = path.dirname(file);
	for (const target of importsOf(file)) {
		const to = path.dirname(target);
		if (from === to || isInside(from, to) || isInside(to, from)) continue;
		const known = folders.get(from) ?? new Map<string, string>();
		folders.set(from, known.set(to, `${file} imports ${target}`));
	}
}

/** Each file with those that it imports from, types included: who reads one has to read the other. */
const files: Ways = new Map(
	sources.map((file) => [
		file,
		new Map(
			importsOf(file, IMPORT_OR_TYPE).map((target) => [
				`${target}.ts`,
				`${file} imports ${target}`,
			]),
		),
	]),
);

/** How one leads to another, import by import; undefined if it doesn't. */
function wayBetween(
	ways: Ways,
	from: string,
	to: string,
	seen = new Set<string>(),
): string[] | undefined {
	seen.add(from);
	for (const [next, example] of ways.get(from) ?? []) {
		if (next === to) return [example];
		const rest = seen.has(next) ? undefined : wayBetween(ways, next, to, seen);
		if (rest !== undefined) return [example, ...rest];
	}
	return undefined;
}

/** Top-level declarations, exported or not. */
const DECLARATION =
	/^(?:export )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) ([\w$]+)/gm;

/** Docstrings that begin as a fragment does. */
const FRAGMENT = /\/\*\*[\s*]*(?:What|Those|Of|The same|Where|By|Who)\b.*/g;

function matchesIn(file: string, pattern: RegExp): string[] {
	const matches = readFileSync(path.join(ROOT, file), 'utf8').matchAll(pattern);
	return [...matches].map(([all, group]) => group ?? all);
}

/** A file of its own in the package for each. */
const BUNDLED = path.join('nodes', 'shared', 'bundled');

/** The files that n8n loads; everything else has to be imported from somewhere. */
const LOADED_BY_N8N = /\.(node|credentials)\.ts$/;

describe('the architecture', () => {
	it('was read', () => {
		expect(sources.length).toBeGreaterThan(50);
		expect(wayBetween(folders, 'credentials', 'nodes/shared/service')).toBeDefined();
		const [node, guards] = ['nodes/Kuaidaili/Kuaidaili.node.ts', 'nodes/shared/guards.ts'];
		expect(wayBetween(files, node, guards)).toBeDefined();
	});

	it.each([...folders.keys()].sort())('has no way from %s back to it', (folder) => {
		expect(wayBetween(folders, folder, folder)).toBeUndefined();
	});

	it('has no file that leads back to itself', () => {
		const circles = sources.flatMap((file) => {
			const way = wayBetween(files, file, file);
			return way === undefined ? [] : [way];
		});
		expect(circles).toEqual([]);
	});

	it('has no bundled libraries that load others: each would hold them once more', () => {
		const bundled = sources.filter((file) => isInside(file, BUNDLED));
		expect(bundled.length).toBeGreaterThan(2);
		expect(
			bundled.flatMap((file) => importsOf(file).filter((target) => isInside(target, BUNDLED))),
		).toEqual([]);
	});

	it('has no file that nothing imports, such as an operation without its line in the menu', () => {
		const imported = new Set(sources.flatMap((file) => importsOf(file, IMPORT_OR_TYPE)));
		const unused = sources.filter((file) => {
			const module = file.replace(/(\/index)?\.ts$/, '');
			return !LOADED_BY_N8N.test(file) && !file.endsWith('.d.ts') && !imported.has(module);
		});
		expect(unused).toEqual([]);
	});

	it('defines each top-level name in one file', () => {
		const filesByName = new Map<string, string[]>();
		for (const file of sources) {
			for (const name of new Set(matchesIn(file, DECLARATION))) {
				filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
			}
		}
		const twice = [...filesByName].filter(([, definedIn]) => definedIn.length > 1);
		expect(twice).toEqual([]);
	});

	it('has docstrings that are sentences or name a thing', () => {
		const found = sources.flatMap((file) =>
			matchesIn(file, FRAGMENT).map((text) => `${file}: ${text}`),
		);
		expect(found).toEqual([]);
	});

	it('has no file of nodes/shared that leads back up', () => {
		const leadsUp = sources
			.filter((file) => isInside(path.dirname(file) + path.sep, 'nodes/shared'))
			.flatMap((file) => importsOf(file, IMPORT_OR_TYPE).map((target) => ({ file, target })))
			.filter(({ target }) => !isInside(target, 'nodes/shared'));
		expect(leadsUp).toEqual([]);
	});

	it("has the word that files a run under Canceled in no message but the cancellation's", () => {
		const texts = sources.flatMap((file) => {
			const text = readFileSync(path.join(ROOT, file), 'utf8');
			const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
			return code.match(/(['"`])(?:(?!\1)[^\n])*\bcanceled\b(?:(?!\1)[^\n])*\1/g) ?? [];
		});
		expect(texts.sort()).toEqual([
			"'The execution was canceled'",
			// Only in descriptions, hints, and the log
			"`'${name}' was canceled, and its output is lost. ${this.summary}`",
			"`'${name}' was canceled. ${countedInWords(counted)}, and its output is lost.`",
		]);
	});
});

describe('npm test', () => {
	const TESTS = path.join(ROOT, 'test');
	const all = readdirSync(TESTS, { recursive: true, encoding: 'utf8' });
	const isTest = (name: string) => name.endsWith('.test.mts');
	const partsOfEngine = all.filter(isTest).flatMap((name) => /^engine\/[^/]+/.exec(name) ?? []);

	it("runs each test file that does without n8n's engine once", () => {
		const run = Object.values(UNIT_GROUPS)
			.flat()
			.flatMap(testFiles)
			.map((file) => path.relative(TESTS, file));
		const isAlone = /^(engine|properties|timing)\b|\.alone\.test\.mts$/;
		const expected = all.filter((name) => isTest(name) && !isAlone.test(name));
		expect(run.sort()).toEqual(expected.sort());
		for (const group of Object.keys(UNIT_GROUPS))
			expect(all).toContain(`unit/together/${group}.mts`);
	});

	it.each([...new Set(partsOfEngine), 'properties'])(
		'runs the tests of %s, each part',
		(folder) => {
			const groups = all.filter((name) => /^engine\/together\/\w+\.mts$/.test(name));
			const texts = groups.map((name) => readFileSync(path.join(TESTS, name), 'utf8'));
			const own = texts.filter((text) => text.includes(`'${folder}'`));
			const parts = own.flatMap((text) => /part: (\d+), parts: \d+/.exec(text)?.[1] ?? '1');
			const count = Number(/parts: (\d+)/.exec(own.join())?.[1] ?? 1);
			expect(parts.sort()).toEqual(Array.from({ length: count }, (_part, at) => String(at + 1)));
		},
	);

	it('gives each test file of a group the hooks of its helpers', () => {
		// Those of the engine's are imported by its groups as well
		const helpers = all.filter((name) => /^(?!engine\/|virtualTime|.*\.test\.).*\.mts$/.test(name));
		const hasHooks = (name: string) =>
			/^(?:before|after)(?:Each|All)\(/m.test(readFileSync(path.join(TESTS, name), 'utf8'));
		const usersOf = (helper: string) =>
			all.filter(
				(name) =>
					name.endsWith('.mts') &&
					importsOf(path.join('test', name)).includes(path.join('test', helper)),
			);
		const shared = helpers.filter(hasHooks).filter((helper) => usersOf(helper).length > 1);
		expect(shared).toEqual([]);
	});
});
