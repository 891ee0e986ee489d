/**
 * Usage: npm run release:dry-run -- <tag>
 *
 * Tries the release workflow for the current commit, as if that tag were pushed: the commands of all
 * jobs in their order, each job in a fresh clone of its own, with the variables that GitHub sets.
 * `npm publish` becomes `npm pack`. Node.js is the one that runs this program.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './packedPackage.mjs';

interface Step {
	readonly uses?: string;
	readonly with?: Readonly<Record<string, unknown>>;
	readonly run?: string;
}

interface Job {
	readonly needs?: string;
	readonly steps: readonly Step[];
	readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
}

type Values = Readonly<Record<string, string>>;

const ACTIONS = ['actions/checkout', 'actions/setup-node'];

const git = (...args: string[]) =>
	execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Each after the one it needs. */
function inOrder(jobs: Readonly<Record<string, Job>>): Array<[string, Job]> {
	const ordered: Array<[string, Job]> = [];
	const waiting = new Map(Object.entries(jobs));
	while (waiting.size > 0) {
		const next = [...waiting].find(([, { needs }]) => needs === undefined || !waiting.has(needs));
		if (!next) throw new Error('The jobs wait for each other.');
		waiting.delete(next[0]);
		ordered.push(next);
	}
	return ordered;
}

/** The values of each run of the job; one run without any for a job without a matrix. */
function runsOf({ strategy }: Job): Values[] {
	const [[name, values] = ['', []], ...more] = Object.entries(strategy?.matrix ?? {});
	if (more.length > 0) throw new Error('Only one list of a matrix can be tried here.');
	return name === '' ? [{}] : values.map((value) => ({ [name]: value }));
}

function filledIn(text: string, values: Values): string {
	return text.replace(/\$\{\{\s*matrix\.(\w+)\s*\}\}/g, (_all, name: string) => values[name] ?? '');
}

/** An npm that packs where it should publish. */
function writeNpm(folder: string, destination: string): void {
	const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
	const file = join(folder, 'npm');
	const lines = [
		'#!/bin/sh',
		`if [ "$1" = publish ]; then exec "${npm}" pack --pack-destination "${destination}"; fi`,
		`exec "${npm}" "$@"`,
	];
	writeFileSync(file, `${lines.join('\n')}\n`);
	chmodSync(file, 0o755);
}

const [tag, ...others] = process.argv.slice(2);
if (!tag || others.length > 0) throw new Error('Usage: npm run release:dry-run -- <tag>');
if (git('status', '--porcelain') !== '') throw new Error('Commit first: commits are released.');

const commit = git('rev-parse', 'HEAD');
const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
// Our own file, of which a test knows the jobs
const { jobs } = parse(workflow) as { jobs: Readonly<Record<string, Job>> };
const folder = mkdtempSync(join(tmpdir(), 'release-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const ownNpm = mkdtempSync(join(folder, 'npm-'));
const packed = mkdtempSync(join(folder, 'packed-'));
writeNpm(ownNpm, packed);
const environment = {
	...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
	CI: 'true',
	GITHUB_ACTIONS: 'true',
	GITHUB_REF_NAME: tag,
	GITHUB_SHA: commit,
	PATH: [ownNpm, process.env.PATH].join(delimiter),
};

for (const [name, job] of inOrder(jobs)) {
	for (const values of runsOf(job)) {
		const clone = mkdtempSync(join(folder, 'clone-'));
		console.log(`\n== ${[name, ...Object.values(values)].join(': ')}`);
		for (const step of job.steps) carryOut(step, values, clone);
		rmSync(clone, { recursive: true, force: true });
	}
}
const files = readdirSync(packed);
if (files.length !== 1)
	throw new Error(`Not one package, but ${files.length}, would be published.`);
console.log(`\nThe workflow would publish ${files[0]}, built from ${commit}.`);

function carryOut({ uses, with: inputs, run }: Step, values: Values, clone: string): void {
	if (uses !== undefined) {
		const action = uses.split('@')[0] ?? '';
		if (!ACTIONS.includes(action)) throw new Error(`${action} cannot be tried here.`);
		if (action !== 'actions/checkout') return;
		// Without it, GitHub's checkout has one commit and no other branch
		const depth = inputs?.['fetch-depth'] === 0 ? [] : ['--depth', '1'];
		git('clone', '--quiet', ...depth, `file://${ROOT}`, clone);
		execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone });
		return;
	}
	if (run === undefined) throw new Error('A step neither uses an action nor runs a command.');
	const command = filledIn(run, values);
	console.log(`$ ${command}`);
	const { status } = spawnSync('bash', ['-e', '-c', command], {
		cwd: clone,
		env: environment,
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error(`The release would stop here: ${command}`);
}
