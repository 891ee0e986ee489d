import type { IExecuteFunctions } from 'n8n-workflow';
import { refuseMixedUpCall } from '../../../../../nodes/Kuaidaili/purchase/mixedUpCall.ts';

/** A call of a tool: its item, and what n8n resolves `$fromAI` with. */
function callOf(
	item: Readonly<Record<string, unknown>>,
	resolved: Readonly<Record<string, unknown>>,
): IExecuteFunctions {
	const context = {
		getNode: () => ({
			type: 'n8n-nodes-kuaidaili.kuaidailiTool',
			parameters: { url: `={{ $fromAI("url", 'An address', 'string') }}` },
		}),
		getInputData: () => [{ json: item }],
		evaluateExpression: () => resolved,
	};
	return context as unknown as IExecuteFunctions;
}

const OWN = { url: 'https://example.com/1' };
const OF_ANOTHER = { url: 'https://example.com/2' };

describe('a call of the tool', () => {
	it.each([
		['as versions 1 and 2 of the agent make it', OWN],
		['with the arguments in a query', { query: OWN }],
		[
			"as version 3 makes it, with the agent's own input",
			{ sessionId: 's', action: 'sendMessage', chatInput: 'Read it', ...OWN, toolCallId: 'call_1' },
		],
		[
			'of an agent behind a webhook, whose query is none of the arguments',
			{ query: { q: '1' }, ...OWN },
		],
	])('goes on, %s', (_how, item) => {
		expect(() => refuseMixedUpCall(callOf(item, OWN))).not.toThrow();
	});

	it.each([
		['of version 2', OWN],
		['with the arguments in a query', { query: OWN }],
		['of version 3', { chatInput: 'Read it', ...OWN, toolCallId: 'call_1' }],
	])('is refused where another one is resolved, %s', (_how, item) => {
		expect(() => refuseMixedUpCall(callOf(item, OF_ANOTHER))).toThrow('mixed up two calls');
	});
});
