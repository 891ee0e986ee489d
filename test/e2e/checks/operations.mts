import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import { at, excerpt, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { KUAIDAILI, kuaidaili, runTrial } from '../../../harness/realN8n/workflows.mts';
import { CASES, WAYS, type Way } from '../../operations/index.mts';
import { parametersOf, proveOutcome, worldOf } from '../../operations/outcome.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

/** Every case of every operation, and the plainest one of each with every key pair that it takes. */
const TRIED = WAYS.filter((way) => CASES.includes(way) || way.operation.cases[0] === way.theCase);

/** Everything that the node can do, done once by a workflow of n8n. */
export const operations: CheckGroup<E2eSession> = {
	name: 'Operations',
	async run(session, check) {
		for (const way of TRIED) await check(way.name, async () => await tryWay(session, way));
	},
};

async function tryWay(session: E2eSession, way: Way): Promise<void> {
	const world = worldOf(way, session.sandbox);
	const credential = await saveCredential(session, world);
	const run = await runTrial(
		session.n8n,
		kuaidaili(parametersOf(way, world), credential, way.operation.settings),
	);
	const items = itemsOf(run, KUAIDAILI);
	for (const item of items) {
		const source = at(item, 'pairedItem', 'item');
		expect(source === 0, `an item is not linked to its input item: ${excerpt(item)}`);
	}
	const task = at(run.saved, 'data', 'resultData', 'runData', KUAIDAILI, 0);
	const hints = at(task, 'hints') === undefined ? [] : readList(task, 'hints');
	const outcome = {
		records: recordsIn(items),
		hints: hints.map((hint) => String(at(hint, 'message'))),
	};
	proveOutcome(way, world, outcome, true);
}
