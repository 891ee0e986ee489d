import { MANUAL_TRIGGER } from '../../harness/realN8n/manualWorkflow.mts';
import type { FinishedRun } from '../../harness/realN8n/index.mts';
import type { ExampleName } from '../examples.mts';
import type { Session } from '../session.mts';

/** Presses 'Execute workflow' in one of the imported examples. */
export async function runExample(
	{ n8n, exampleIds }: Session,
	name: ExampleName,
	trigger = MANUAL_TRIGGER,
): Promise<FinishedRun> {
	const id = exampleIds.get(name);
	if (id === undefined) throw new Error(`The example '${name}' was not imported`);
	return await n8n.runWorkflow(id, trigger);
}
