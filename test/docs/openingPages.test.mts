import { readFileSync } from 'node:fs';

import { FORMATS } from '../../nodes/Kuaidaili/pages/request/pageFields.ts';
import {
	LONGEST_PAGE_PAUSE_MS,
	ORDER_PATIENCE_MS,
} from '../../nodes/Kuaidaili/pages/run/followingAttempt.ts';
import { durationInWords } from '../../nodes/shared/wording.ts';

const OPENING_PAGES = readFileSync('docs/opening-pages.md', 'utf8');

function inProse(ms: number): string {
	return durationInWords(ms).replace(/^1 /, 'a ');
}

it('says how long a page waits', () => {
	expect(OPENING_PAGES).toContain(`after a pause, for up to ${inProse(ORDER_PATIENCE_MS)},`);
	expect(OPENING_PAGES).toContain(`\`Retry-After\` of up to ${inProse(LONGEST_PAGE_PAUSE_MS)},`);
});

it('lists every response format but those of rows, of which sections tell', () => {
	const [, table = ''] = OPENING_PAGES.split('| _Response Format_ |');
	const rows = table.split('\n\n')[0].matchAll(/^\| ([A-Z]\w+)\b/gm);
	const { fields: _fields, structuredData: _structuredData, ...others } = FORMATS;
	const names = Object.values(others).map(({ name }) => name);
	expect([...rows].map(([, name]) => name).sort()).toEqual(names.sort());
});
