import { readFileSync } from 'node:fs';

import { GENERATED_FILES, withCurrentTables } from '../../scripts/docsTables.mts';

it.each(GENERATED_FILES)('%s shows the tables of the code as they are', (file) => {
	const text = readFileSync(file, 'utf8');
	expect(withCurrentTables(file, text)).toBe(text);
});
