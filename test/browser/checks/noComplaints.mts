import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import type { BrowserSetup } from '../setup.mts';

/** After everything else. */
export const noComplaints: CheckGroup<BrowserSetup> = {
	name: 'Errors of the page',
	async run({ complaints }, check) {
		await check('The page wrote no error, and found every file of the package', () => {
			expect(complaints.length === 0, [...new Set(complaints)].join(' | '));
		});
	},
};
