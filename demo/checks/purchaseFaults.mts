import type { Sandbox } from '../../sandbox/sandbox.mts';
import type { Session } from '../session.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { Lanes } from './purchases/lanes.mts';
import {
	casesOf,
	nameOf,
	TROUBLES,
	type PurchaseCase,
	type Trouble,
} from './purchases/purchaseCase.mts';
import { gatherEvidence } from './purchases/purchaseEvidence.mts';
import { tryPurchase } from './purchases/purchaseTrial.mts';
import { startOwnSandbox } from './purchases/sandboxes.mts';
import { judge } from './purchases/verdict.mts';

/** A run spends most of its time waiting for the pace of one request per second. */
const AT_A_TIME = 8;

/** What happens to the money when a purchase fails in some way, and n8n runs the node again. */
export const purchaseFaults: CheckGroup<Session> = {
	name: 'Money when something goes wrong',
	async run(session, check) {
		const sandboxes = Array.from({ length: AT_A_TIME }, async () => await startOwnSandbox(session));
		const lanes = new Lanes(await Promise.all(sandboxes));
		const groups = TROUBLES.map((trouble) => ({
			trouble,
			failures: casesOf(trouble).map((theCase) =>
				lanes.run((sandbox) => failureOf(session, sandbox, theCase)),
			),
		}));
		for (const { trouble, failures } of groups) {
			await check(`${claimOf(trouble)} (${failures.length} runs)`, async () => {
				const found = (await Promise.all(failures)).filter((failure) => failure !== undefined);
				if (found.length > 0) throw new Error(`${found.length} failed\n${found.join('\n')}`);
			});
		}
	},
};

function claimOf({ name, outcome, paid, requests }: Trouble): string {
	const sent = requests === 1 ? 'sent once' : 'sent again';
	const paidFor = ['not paid', 'paid once'][paid];
	return `Money, ${name}: ${sent}, ${paidFor}${SAID[outcome]}, nothing lost`;
}

const SAID: Readonly<Record<Trouble['outcome'], string>> = {
	success: '',
	verified: ' and found out',
	unclear: ' and reported as unclear',
};

/** @returns a line that says what is wrong, if anything is; never rejects, for several run at once */
async function failureOf(
	session: Session,
	sandbox: Sandbox,
	theCase: PurchaseCase,
): Promise<string | undefined> {
	const reasons = await tryPurchase(session, sandbox, theCase).then(
		({ run, buyer }) => judge(theCase, gatherEvidence(run, buyer)),
		(error: unknown) => [error instanceof Error ? error.message : String(error)],
	);
	return reasons.length === 0 ? undefined : `        ${nameOf(theCase)}: ${reasons.join('; ')}`;
}
