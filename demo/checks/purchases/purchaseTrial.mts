import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { FinishedRun } from '../../../harness/realN8n/index.mts';
import type { Session } from '../../session.mts';
import { newBuyer, type Buyer } from './buyer.mts';
import { troubledItem, type PurchaseCase } from './purchaseCase.mts';
import { until } from '../until.mts';

/** @param sandbox no other run may use it at the same time, or the trouble could hit that one */
export async function tryPurchase(
	session: Session,
	sandbox: Sandbox,
	theCase: PurchaseCase,
): Promise<{ run: FinishedRun; buyer: Buyer }> {
	const { operation, trouble, settings, itemCount } = theCase;
	const buyer = await newBuyer(session, sandbox, operation, trouble.signType);
	const ended = new AbortController();
	const arming = armTrouble(sandbox, theCase, buyer, ended.signal);
	try {
		const run = await buyer.buy({ itemCount, options: optionsFor(theCase), settings });
		return { run, buyer };
	} finally {
		ended.abort();
		await arming;
		sandbox.faults.clear();
	}
}

/** Lets the items before the one in trouble pass. The pace of one request per second leaves time for it. */
async function armTrouble(
	sandbox: Sandbox,
	theCase: PurchaseCase,
	buyer: Buyer,
	ended: AbortSignal,
): Promise<void> {
	const { operation, trouble } = theCase;
	const answered = () => buyer.requests().filter(({ outcome }) => outcome === 'answered').length;
	const isNext = await until(() => answered() >= troubledItem(theCase), ended);
	if (isNext) sandbox.faults.add({ ...trouble.fault, path: operation.path, times: 1 });
}

/** Only the item in trouble gives up early, so that a slow machine makes no trouble of its own. */
function optionsFor(theCase: PurchaseCase): Record<string, unknown> {
	if (theCase.trouble.fault.kind !== 'hang') return {};
	return { timeout: `={{ $itemIndex === ${troubledItem(theCase)} ? 1 : 30 }}` };
}
