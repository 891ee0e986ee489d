import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import { at, excerpt, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { KUAIDAILI, kuaidaili, runTrial } from '../../../harness/realN8n/workflows.mts';
import { CASES, OPERATIONS, type Way } from '../../operations/index.mts';
import { parametersOf, proveOutcome, worldOf } from '../../operations/outcome.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

const FIRST_OF_RESOURCES = new Set(
	OPERATIONS.filter(
		({ resource }, index) => OPERATIONS.findIndex((other) => other.resource === resource) === index,
	),
);

/** The plainest case of the purchases, and of one operation of each resource: the engine's tests run all cases. */
const TRIED = CASES.filter(
	({ operation, theCase }) =>
		operation.cases[0] === theCase &&
		(operation.costs === 'at once' || FIRST_OF_RESOURCES.has(operation)),
);

/** A part of what the node can do, done by a workflow of n8n. */
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
