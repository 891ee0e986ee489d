import { existsSync, readFileSync } from 'node:fs';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8'));
const CHECKLIST = readFileSync('docs/development/verification.md', 'utf8');

describe('the package', () => {
	it('has the name, keyword, license, author, and repository that n8n asks for', () => {
		const { name, description, keywords, license, author, repository, homepage } = PACKAGE;
		expect(name).toMatch(/^n8n-nodes-[a-z]+$/);
		expect(description).not.toMatch(/\p{Script=Han}/u);
		expect(keywords).toContain('n8n-community-node-package');
		expect(license).toBe('MIT');
		expect(readFileSync('LICENSE.md', 'utf8')).toMatch(/^# MIT License/);
		expect(author).toEqual({ name: expect.stringMatching(/./), email: expect.stringMatching(/@/) });
		// In no folder of it: n8n verifies no package of a monorepo
		expect(repository).toEqual({ type: 'git', url: `git+${homepage}.git` });
		expect(homepage).toMatch(new RegExp(`^https://github\\.com/[^/]+/${name}$`));
	});

	it('is for one service: a node, a trigger, and a credential with one name', () => {
		const { nodes, credentials } = PACKAGE.n8n;
		expect([...nodes, ...credentials].map((file: string) => file.split('/').at(-1))).toEqual([
			'Kuaidaili.node.js',
			'KuaidailiTrigger.node.js',
			'KuaidailiApi.credentials.js',
		]);
	});

	it('is strict, and needs nothing but n8n at run time', () => {
		const { dependencies, optionalDependencies, bundleDependencies, overrides } = PACKAGE;
		expect(PACKAGE.n8n.strict).toBe(true);
		expect({ dependencies, optionalDependencies, bundleDependencies, overrides }).toEqual({});
		expect(PACKAGE.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});
});

describe('the checklist', () => {
	const proofs = CHECKLIST.split('\n')
		.filter((line) => line.startsWith('| ') && !/^\| (-|Requirement)/.test(line))
		.map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '');
	const commands = proofs.flatMap((proof) =>
		[...proof.matchAll(/`([^`]+)`/g)].map(([, one]) => one),
	);

	it('proves each point by a command, or says what to read', () => {
		expect(proofs.length).toBeGreaterThan(15);
		for (const proof of proofs) expect(proof).toMatch(/`(npm|npx|! grep) |^reading: /);
	});

	it.each(commands.flatMap((command) => command.split(' && ')))('runs %s', (command) => {
		const script = /^npm run ([\w:-]+)/.exec(command)?.[1];
		if (script !== undefined) expect(PACKAGE.scripts).toHaveProperty([script]);
		const tests = /^npx jest (\S+)/.exec(command)?.[1];
		if (tests !== undefined) {
			expect(existsSync(tests) || existsSync(`${tests}.test.mts`)).toBe(true);
		}
	});
});
