import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { kuaidaili, workflowOf } from '../../../harness/realN8n/workflows.mts';
import { EVENT_WAYS } from '../../operations/index.mts';
import { parametersOfEvent, proveEvent, worldOfEvent } from '../../operations/outcome.mts';
import { credentialOf } from '../keys.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

const TRIGGER = 'Kuaidaili Trigger';

/** An event tried out by hand, and one in a workflow that is switched on. The engine's tests try all of them. */
export const triggerEvents: CheckGroup<E2eSession> = {
	name: 'Trigger',
	async run(session, check) {
		for (const way of EVENT_WAYS.slice(0, 1)) {
			await check(`${way.name}, tried out by hand`, async () => {
				const world = worldOfEvent(way, session.sandbox);
				const parameters = parametersOfEvent(way, world);
				const id = await createWorkflow(session, parameters, await saveCredential(session, world));
				const run = await session.n8n.runWorkflow(id, TRIGGER);
				proveEvent(way, world, recordsIn(itemsOf(run, TRIGGER)));
			});
		}
		await check('Trigger: a workflow that is switched on is started', async () => {
			const { n8n } = session;
			const parameters = { event: 'accountBalanceBelow', balanceBelow: 100_000_000 };
			const id = await createWorkflow(session, parameters, credentialOf('account'));
			await n8n.activate(id);
			try {
				const [run, ...more] = await n8n.runsOf(id, 1);
				if (!run) throw new Error('there was no run');
				expectEqual(more.length, 0, 'the number of further runs');
				expectEqual(at(run.saved, 'mode'), 'trigger', 'how it was started');
				const [item] = itemsOf(run, 'Next');
				expectEqual(at(item, 'json', 'event'), 'accountBalanceBelow', "'event'");
			} finally {
				await n8n.deactivate(id);
			}
		});
	},
};

async function createWorkflow(
	{ n8n }: E2eSession,
	parameters: Readonly<Record<string, unknown>>,
	credential: { readonly id: string; readonly name: string },
): Promise<string> {
	const trigger = {
		...kuaidaili(parameters, credential),
		name: TRIGGER,
		type: 'n8n-nodes-kuaidaili.kuaidailiTrigger',
	};
	const next = { name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1 };
	return await n8n.createWorkflow(workflowOf(`Trial: ${TRIGGER}`, [trigger, next]));
}
