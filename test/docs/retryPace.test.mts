import { readFileSync } from 'node:fs';

import {
	LONGEST_PAGE_PAUSE_MS,
	ORDER_PATIENCE_MS,
} from '../../nodes/Kuaidaili/pages/run/retryPlan.ts';
import { durationInWords } from '../../nodes/shared/wording.ts';

const OPENING_PAGES = readFileSync('docs/opening-pages.md', 'utf8');

function inProse(ms: number): string {
	return durationInWords(ms).replace(/^1 /, 'a ');
}

it('docs/opening-pages.md says how long a page waits', () => {
	expect(OPENING_PAGES).toContain(`after a pause, for up to ${inProse(ORDER_PATIENCE_MS)},`);
	expect(OPENING_PAGES).toContain(`\`Retry-After\` of up to ${inProse(LONGEST_PAGE_PAUSE_MS)},`);
});
