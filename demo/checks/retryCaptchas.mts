import { at, readList } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { runExample } from './runExample.mts';
import { valuesOf } from './scrapePages.mts';
import type { Session } from '../session.mts';

const EXAMPLE = 'retry-captchas';

/** examples/retry-captchas.json */
export const retryCaptchas: CheckGroup<Session> = {
	name: 'Example "retry captchas"',
	async run(session, check) {
		const { pages } = session.sandbox;

		await check('A captcha with status 200 is tried again through other proxies', async () => {
			pages.faults.add({ answer: 'captcha', path: '/article/2', times: 2 });
			const run = await runExample(session, EXAMPLE);
			expectEqual(itemsOf(run, 'Result').length, 3, 'the number of pages');
			const page = itemsOf(run, 'Open').find((item) =>
				String(at(item, 'json', 'url')).endsWith('/2'),
			);
			const attempts = readList(at(page, 'json', 'pageDetails', 'attempts'));
			const outcomes = attempts.map((attempt) => at(attempt, 'outcome')).join();
			expectEqual(outcomes, 'blocked,blocked,opened', 'the outcomes');
			expectEqual(new Set(attempts.map((each) => at(each, 'proxy'))).size, 3, 'the proxies');
		});
		await check('A page that stays blocked is named', async () => {
			pages.faults.add({ answer: 'verify', path: '/article/3' });
			const run = await runExample(session, EXAMPLE);
			pages.faults.clear();
			expectEqual(itemsOf(run, 'Result').length, 2, 'the number of pages');
			const [reason] = valuesOf(run, 'Not Opened', 'reason');
			expect(/refused to show the page in 5 attempts/.test(reason ?? ''), `it says: ${reason}`);
			expectEqual(pages.visits.direct().length, 0, 'the number of direct visits');
		});
	},
};
