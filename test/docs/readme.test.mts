import { readFileSync } from 'node:fs';

import { updatedReadme } from '../../scripts/readmeTables.mts';

it('shows the tables of the code as they are', () => {
	const readme = readFileSync('README.md', 'utf8');
	expect(updatedReadme(readme)).toBe(readme);
});
