import { readFileSync } from 'node:fs';

const WORKFLOW = readFileSync('.github/workflows/release.yml', 'utf8');

/** The jobs of the release by their names, as they are written. */
function jobs(): Map<string, string> {
	const [, text = ''] = WORKFLOW.split(/^jobs:\n/m);
	const parts = text.split(/^ {2}(?=[\w-]+:\n)/m).slice(1);
	return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
}

const MAY_PUBLISH = 'id-token: write';

it('only one job may publish, and it runs no version of n8n', () => {
	const mayPublish = [...jobs()].filter(([, text]) => text.includes(MAY_PUBLISH));
	expect(mayPublish.map(([name]) => name)).toEqual(['publish']);
	expect(WORKFLOW.split(/^jobs:$/m)[0]).not.toContain(MAY_PUBLISH);
	const commands = [...(jobs().get('publish') ?? '').matchAll(/run: (.*)/g)].map(([, run]) => run);
	expect(commands).toEqual([
		expect.stringMatching(/^npm (ci|install --no-save)/),
		'git diff --exit-code package.json package-lock.json',
		'npm run release',
	]);
});

it('it waits for the tests, for a tag that is on main, and for a person', () => {
	expect(jobs().get('publish')).toMatch(/needs: test\n[^]*environment: npm\n/);
	expect(jobs().get('test')).toContain('needs: tag\n');
	expect(jobs().get('tag')).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
});

it('the install of the repository runs no scripts', () => {
	expect(readFileSync('.npmrc', 'utf8')).toContain('ignore-scripts=true');
});
