import type { IExecuteFunctions } from 'n8n-workflow';

import { DescribedError } from '../../shared/api/errors';
import { isRecord, ownValue, toDataObject } from '../../shared/guards';
import { isTool } from '../run/nodeRun';

/** A call of `$fromAI`, with a name as n8n allows it there. */
const FROM_AI = /\$fromAI\(\s{0,20}['`]([\w-]{1,64})['`]/gi;

const MOST_ARGUMENTS = 50;

/** The names of the arguments that the node's fields take from a model. */
function argumentNames(context: IExecuteFunctions): string[] {
	const fields = JSON.stringify(context.getNode().parameters).replaceAll(String.raw`\"`, "'");
	return [...new Set([...fields.matchAll(FROM_AI)].map(([, name]) => name))];
}

/**
 * Throws DescribedError where the fields would get the arguments of another call of this tool. For two calls at the
 * same moment, from two tool lists such as those of agents in a batch, n8n 2.41 resolves `$fromAI` in both with what
 * the first one said, while the input item has what the model said in this call. From version 3 of the agent on, the
 * item has the agent's own input as well, which is no argument.
 */
export function refuseMixedUpCall(context: IExecuteFunctions): void {
	if (!isTool(context)) return;
	const json: unknown = context.getInputData()[0]?.json;
	const query = ownValue(json, 'query');
	const said = { ...toDataObject(json), ...(isRecord(query) && toDataObject(query)) };
	const names = argumentNames(context).filter((name) => Object.hasOwn(said, name));
	const compared = names.slice(0, MOST_ARGUMENTS);
	const pairs = compared.map((name) => `${JSON.stringify(name)}: $fromAI(${JSON.stringify(name)})`);
	if (pairs.length === 0) return;
	const resolved: unknown = context.evaluateExpression(`{{ { ${pairs.join(', ')} } }}`, 0);
	const differs = (name: string) =>
		JSON.stringify(ownValue(resolved, name) ?? null) !== JSON.stringify(said[name] ?? null);
	if (!compared.some(differs)) return;
	throw new DescribedError({
		message: 'n8n mixed up two calls of this tool, so nothing was sent',
		description:
			'Two calls came at the same moment, and this one would have used the values of the other. Call the tool again, alone. Agents that work at the same time need a Kuaidaili tool each.',
	});
}
