/**
 * Usage: npm run release:dry-run -- <tag>
 *
 * Tries the release workflow for the current commit, as if that tag were pushed: the commands of all
 * jobs in their order, each job in a folder of its own (a fresh clone where the job checks out), with the
 * variables that GitHub sets. Artifacts go through a folder, and `npm publish` only says what it would do.
 * Node.js is the one that runs this program. What only GitHub can do is not tried: the rights of a job, the
 * approval, and the signature of the provenance statement.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './packedPackage.mjs';

type Values = Readonly<Record<string, string>>;

interface Step {
	readonly id?: string;
	readonly uses?: string;
	readonly with?: Readonly<Record<string, unknown>>;
	readonly run?: string;
	readonly env?: Values;
}

interface Job {
	readonly needs?: string | readonly string[];
	readonly outputs?: Values;
	readonly steps: readonly Step[];
	readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
}

/** What expressions may name, such as `needs.pack.outputs.sha512`. */
type Known = Record<string, string>;

const git = (...args: string[]) =>
	execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const neededBy = ({ needs = [] }: Job) => (typeof needs === 'string' ? [needs] : needs);

/** Each after those it needs. */
function inOrder(jobs: Readonly<Record<string, Job>>): Array<[string, Job]> {
	const ordered: Array<[string, Job]> = [];
	const waiting = new Map(Object.entries(jobs));
	while (waiting.size > 0) {
		const next = [...waiting].find(([, job]) => !neededBy(job).some((name) => waiting.has(name)));
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
	return name === '' ? [{}] : values.map((value) => ({ [`matrix.${name}`]: value }));
}

function filledIn(text: string, known: Known): string {
	return text.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_all, name: string) => {
		const value = known[name];
		if (value === undefined) throw new Error(`Nothing is known of ${name}.`);
		return value;
	});
}

/** An npm that says what it would publish. */
function writeNpm(folder: string): void {
	const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
	const file = join(folder, 'npm');
	const lines = [
		'#!/bin/sh',
		`if [ "$1" = publish ]; then shift; exec "${npm}" publish --dry-run "$@"; fi`,
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
const artifacts = mkdtempSync(join(folder, 'artifacts-'));
writeNpm(ownNpm);
const environment = {
	...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
	CI: 'true',
	GITHUB_ACTIONS: 'true',
	GITHUB_REF_NAME: tag,
	GITHUB_SHA: commit,
	PATH: [ownNpm, process.env.PATH].join(delimiter),
};

/** Of all jobs that ran. */
const outputs: Known = {};
for (const [name, job] of inOrder(jobs)) {
	for (const values of runsOf(job)) {
		const place = mkdtempSync(join(folder, 'job-'));
		console.log(`\n== ${[name, ...Object.values(values)].join(': ')}`);
		const known = { ...outputs, ...values };
		for (const step of job.steps) carryOut(step, known, place);
		for (const [output, text] of Object.entries(job.outputs ?? {})) {
			outputs[`needs.${name}.outputs.${output}`] = filledIn(text, known);
		}
		rmSync(place, { recursive: true, force: true });
	}
}
console.log(`\nThe workflow would publish the package above, built from ${commit}.`);

/** The actions of the workflow, as far as they matter here. */
function use(action: string, inputs: Step['with'], place: string): void {
	const artifact = () => join(artifacts, String(inputs?.name));
	switch (action) {
		case 'actions/checkout': {
			// Without it, GitHub's checkout has one commit and no other branch
			const depth = inputs?.['fetch-depth'] === 0 ? [] : ['--depth', '1'];
			git('clone', '--quiet', ...depth, `file://${ROOT}`, place);
			execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: place });
			return;
		}
		case 'actions/setup-node':
			return;
		case 'actions/upload-artifact':
			cpSync(join(place, String(inputs?.path)), artifact(), { recursive: true });
			return;
		case 'actions/download-artifact':
			cpSync(artifact(), place, { recursive: true });
			return;
		default:
			throw new Error(`${action} cannot be tried here.`);
	}
}

/** Adds the outputs of the step to what is known. */
function carryOut({ id, uses, with: inputs, run, env = {} }: Step, known: Known, place: string) {
	if (uses !== undefined) return use(uses.split('@')[0] ?? '', inputs, place);
	if (run === undefined) throw new Error('A step neither uses an action nor runs a command.');
	const command = filledIn(run, known);
	console.log(`$ ${command.trim()}`);
	const output = join(mkdtempSync(join(folder, 'output-')), 'output');
	writeFileSync(output, '');
	const own = Object.entries(env).map(([name, text]) => [name, filledIn(text, known)]);
	const { status } = spawnSync('bash', ['-e', '-c', command], {
		cwd: place,
		env: { ...environment, ...Object.fromEntries(own), GITHUB_OUTPUT: output },
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error(`The release would stop here: ${command}`);
	for (const line of readFileSync(output, 'utf8').split('\n').filter(Boolean)) {
		const [name, ...value] = line.split('=');
		known[`steps.${id}.outputs.${name}`] = value.join('=');
	}
}
