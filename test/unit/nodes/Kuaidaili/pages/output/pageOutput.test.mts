import type { IExecuteFunctions } from 'n8n-workflow';

import { PageOutput } from '../../../../../../nodes/Kuaidaili/pages/output/pageOutput.ts';
import { PageRun } from '../../../../../../nodes/Kuaidaili/pages/run/pageRun.ts';

it.each([
	['canceled', ["'Kuaidaili' was canceled, and its output is lost. Opened 0 of 0 pages."]],
	['not canceled', []],
])('the log of a run that was %s', (what, told) => {
	const warned: string[] = [];
	const cancel = new AbortController();
	if (what === 'canceled') cancel.abort();
	const context = {
		getNode: () => ({ name: 'Kuaidaili', type: 'kuaidaili' }),
		getContext: () => ({}),
		getExecutionId: () => '1',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionCancelSignal: () => cancel.signal,
		continueOnFail: () => false,
		logger: { debug() {}, warn: (text: string) => warned.push(text) },
	} as unknown as IExecuteFunctions;
	new PageOutput(context, new PageRun(context)).finish([]);
	expect(warned).toEqual(told);
});
