import { askAnAiAgent } from './askAnAiAgent.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { credentialTest } from './credentialTest.mts';
import { extractAndUseProxies } from './extractAndUseProxies.mts';
import { httpRequestCredential } from './httpRequestCredential.mts';
import { installedPackage } from './installedPackage.mts';
import { keepWorkingProxies } from './keepWorkingProxies.mts';
import { noSecrets } from '../../harness/checks/noSecrets.mts';
import { orderATunnelProxy } from './orderATunnelProxy.mts';
import { orderWhereIpsAreLeft } from './orderWhereIpsAreLeft.mts';
import { pickers } from './pickers.mts';
import { purchaseFaults } from './purchaseFaults.mts';
import { purchaseLimits } from './purchaseLimits.mts';
import { purchaseRepeats } from './purchaseRepeats.mts';
import { renewEveryMorning } from './scheduled/renewEveryMorning.mts';
import { renewWhenExpiring } from './scheduled/renewWhenExpiring.mts';
import { tellWhenBalanceIsLow } from './scheduled/tellWhenBalanceIsLow.mts';
import { tokenCredential } from './tokenCredential.mts';
import type { Session } from '../session.mts';

/** In this order. The search for secrets comes last, when there is something to search. */
export const CHECKS: ReadonlyArray<CheckGroup<Session>> = [
	installedPackage,
	credentialTest,
	extractAndUseProxies,
	tokenCredential,
	httpRequestCredential,
	pickers,
	orderATunnelProxy,
	orderWhereIpsAreLeft,
	keepWorkingProxies,
	askAnAiAgent,
	renewEveryMorning,
	renewWhenExpiring,
	tellWhenBalanceIsLow,
	purchaseLimits,
	purchaseRepeats,
	purchaseFaults,
	noSecrets,
];
