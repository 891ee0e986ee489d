import { askAnAiAgent } from './askAnAiAgent.mts';
import { checkMySetup } from './checkMySetup.mts';
import { crawlAList } from './crawlAList.mts';
import type { CheckGroup } from '../../harness/checks/checks.mts';
import { importedWorkflows } from './importedWorkflows.mts';
import { keepWorkingProxies } from './keepWorkingProxies.mts';
import { logIn } from './logIn.mts';
import { notifications } from './notifications.mts';
import { noSecrets } from '../../harness/checks/noSecrets.mts';
import { openWithHttpRequest } from './openWithHttpRequest.mts';
import { orderATunnelProxy } from './orderATunnelProxy.mts';
import { orderWhereIpsAreLeft } from './orderWhereIpsAreLeft.mts';
import { pagesIntoTables } from './pagesIntoTables.mts';
import { purchaseRepeats } from './purchaseRepeats.mts';
import { scrapePages } from './scrapePages.mts';
import { renewEveryMorning } from './scheduled/renewEveryMorning.mts';
import { renewWhenExpiring } from './scheduled/renewWhenExpiring.mts';
import { keepWhitelistCurrent } from './scheduled/keepWhitelistCurrent.mts';
import { tellWhenBalanceIsLow } from './scheduled/tellWhenBalanceIsLow.mts';
import { whatWasSpent } from './whatWasSpent.mts';
import type { Session } from '../session.mts';

/** Groups that run one after the other, beside other lists of them. */
type Lane = ReadonlyArray<CheckGroup<Session>>;

/**
 * What a new user does and what can go wrong with money; test/e2e tries everything else in a real n8n. In stages: the
 * lanes of one run side by side.
 */
export const CHECKS: ReadonlyArray<readonly Lane[]> = [
	// Before anything else is bought
	[[importedWorkflows, whatWasSpent]],
	[
		// On the ready-made orders
		[
			orderATunnelProxy,
			orderWhereIpsAreLeft,
			scrapePages,
			openWithHttpRequest,
			// After those that count how many private proxies they extract: it leaves some for reuse
			keepWorkingProxies,
			logIn,
			crawlAList,
			pagesIntoTables,
			askAnAiAgent,
			checkMySetup,
			purchaseRepeats,
		],
		// With customers of their own, and all that sends messages
		[
			renewEveryMorning,
			renewWhenExpiring,
			tellWhenBalanceIsLow,
			keepWhitelistCurrent,
			notifications,
		],
	],
	// When there is something to search
	[[noSecrets]],
];
