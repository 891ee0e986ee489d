import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';

interface Step {
	readonly name?: string;
	readonly uses?: string;
	readonly run?: string;
}

interface Job {
	readonly needs?: string | readonly string[];
	readonly environment?: string;
	readonly permissions?: Readonly<Record<string, string>>;
	readonly steps: readonly Step[];
}

const TEXT = readFileSync('.github/workflows/release.yml', 'utf8');
const WORKFLOW = parse(TEXT) as {
	permissions: Job['permissions'];
	jobs: Readonly<Record<string, Job>>;
};
const { tag, test, pack, publish } = WORKFLOW.jobs;

/** The command of the step whose name contains the text. */
function command({ steps }: Job, name: string): string {
	const step = steps.find((each) => each.name?.includes(name));
	if (step?.run === undefined) throw new Error(`No step '${name}' runs a command`);
	return step.run;
}

describe('the job that may publish', () => {
	it('is the only one with any right but to read', () => {
		expect(WORKFLOW.permissions).toEqual({ contents: 'read' });
		expect(publish.permissions).toEqual({ 'id-token': 'write' });
		for (const job of [tag, test, pack]) expect(job.permissions).toBeUndefined();
		expect(Object.keys(WORKFLOW.jobs)).toEqual(['tag', 'test', 'pack', 'publish']);
	});

	it('waits for the tests, for the package, for a tag that is on main, and for a person', () => {
		expect(publish.needs).toEqual(['test', 'pack']);
		expect(publish.environment).toBe('npm');
		for (const job of [test, pack]) expect(job.needs).toBe('tag');
		expect(command(tag, 'on main')).toContain('--is-ancestor "$GITHUB_SHA" origin/main');
	});

	it('installs nothing, and runs nothing of the repository or of another package', () => {
		const actions = publish.steps.flatMap(({ uses }) => uses?.split('@')[0] ?? []);
		expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
		const commands = publish.steps.flatMap(({ run }) => run ?? []).join('\n');
		expect([...commands.matchAll(/\b(npm|npx|node|git|curl)\b.*/g)].map(([line]) => line)).toEqual([
			'npm publish "./$(ls *.tgz)" --provenance --access public --tag "$tag"',
		]);
	});
});

it('every action is pinned to a commit', () => {
	const actions = Object.values(WORKFLOW.jobs).flatMap(({ steps }) =>
		steps.flatMap(({ uses }) => uses ?? []),
	);
	for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
});

it('what is packed was installed as the lockfile says, and without scripts', () => {
	const commands = pack.steps.flatMap(({ run }) => run ?? []);
	const [install, compare, ...others] = commands;
	expect(install).toMatch(/^npm install --no-save/);
	expect(compare).toBe('node scripts/compareInstalled.mjs');
	expect(others).toEqual([
		'npm run lint',
		'npm run build',
		'npm run lint:package',
		expect.stringContaining('npm pack --ignore-scripts'),
	]);
	expect(readFileSync('.npmrc', 'utf8')).toContain('ignore-scripts=true');
});

describe('the commands', () => {
	const folder = mkdtempSync(join(tmpdir(), 'release-test-'));
	const PACKED = 'n8n-nodes-kuaidaili-1.2.3.tgz';
	const CONTENT = 'what was packed';
	afterAll(() => rmSync(folder, { recursive: true }));

	beforeAll(() => {
		writeFileSync(join(folder, PACKED), CONTENT);
		writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
	});

	/** As GitHub runs them. */
	function run(text: string, variables: Readonly<Record<string, string>>) {
		const { status, stdout } = spawnSync('bash', ['-e', '-c', text], {
			cwd: folder,
			encoding: 'utf8',
			env: { PATH: [folder, process.env.PATH].join(delimiter), HOME: folder, ...variables },
		});
		return { status, lines: stdout.trim().split('\n') };
	}

	it.each([
		['1.2.3', 'latest'],
		['1.2.3-beta.1', 'beta'],
		['1.2.3-rc.12', 'rc'],
	])('publish %s, which npm installs as %s', (version, distTag) => {
		const GITHUB_REF_NAME = version;
		expect(run(command(tag, 'Accept'), { GITHUB_REF_NAME }).status).toBe(0);
		expect(run(command(publish, 'Publish'), { GITHUB_REF_NAME }).lines).toEqual([
			`npm publish ./${PACKED} --provenance --access public --tag ${distTag}`,
		]);
	});

	it.each(['v1.2.3', '1.2.3-beta', '1.2.3-latest.1', '1.2.3 4'])(
		'refuse the tag %j',
		(GITHUB_REF_NAME) => {
			expect(run(command(tag, 'Accept'), { GITHUB_REF_NAME }).status).not.toBe(0);
		},
	);

	it('refuse another file than the one that was packed', () => {
		const check = command(publish, 'file that was packed');
		const hash = (text: string) => createHash('sha512').update(text).digest('hex');
		expect(run(check, { SHA512: hash(CONTENT) }).status).toBe(0);
		expect(run(check, { SHA512: hash('another one') }).status).not.toBe(0);
		expect(run(check, { SHA512: '' }).status).not.toBe(0);
	});
});
