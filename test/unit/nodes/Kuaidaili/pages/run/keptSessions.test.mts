import type { IExecuteFunctions } from 'n8n-workflow';

import { Session } from '../../../../../../nodes/Kuaidaili/pages/http/session.ts';
import {
	leaveSession,
	takeSession,
} from '../../../../../../nodes/Kuaidaili/pages/run/keptSessions.ts';
import { fakeProxies } from './fakePages.mts';

/** An execution of a workflow, as its nodes see it, and its end. */
function execution(id: string, more: object = {}) {
	const finish: Array<() => void> = [];
	const context = {
		getWorkflow: () => ({ id: 'workflow' }),
		getExecutionId: () => id,
		onExecutionFinish: (atEnd: () => void) => finish.push(atEnd),
		...more,
	} as unknown as IExecuteFunctions;
	return { context, end: () => finish.forEach((atEnd) => atEnd()) };
}

async function openSession() {
	const { proxies, inUse } = fakeProxies();
	const session = new Session('slot');
	await session.acquire('', proxies, undefined);
	return { session, inUse };
}

it('a session goes from node to node of an execution, by its key, to one at a time', async () => {
	const { context, end } = execution('1');
	const { session, inUse } = await openSession();
	for (const _node of [1, 2, 3]) {
		expect(leaveSession(context, 'a', session)).toBe(true);
		expect(takeSession(context, 'b')).toBeUndefined();
		expect(takeSession(execution('11').context, 'a')).toBeUndefined();
		expect(takeSession(context, 'a')).toBe(session);
		expect(takeSession(context, 'a')).toBeUndefined();
		expect(inUse.size).toBe(1);
	}
	end();
	expect(inUse.size).toBe(1);
});

it('a session that nobody takes ends with its execution, and with another of its key', async () => {
	const [one, other] = [execution('1'), execution('11')];
	const opened = [await openSession(), await openSession(), await openSession()];
	const left = () => opened.map(({ inUse }) => inUse.size);
	leaveSession(one.context, 'a', opened[0].session);
	leaveSession(one.context, 'a', opened[1].session);
	leaveSession(other.context, 'a', opened[2].session);
	expect(left()).toEqual([0, 1, 1]);
	one.end();
	expect(left()).toEqual([0, 0, 1]);
	expect(takeSession(one.context, 'a')).toBeUndefined();
	other.end();
	expect(left()).toEqual([0, 0, 0]);
});

it.each<[string, object]>([
	['does not tell of the end of executions', { onExecutionFinish: undefined }],
	['has no name for the execution', { getExecutionId: () => '' }],
])('a session is left to nobody where n8n %s', async (_what, more) => {
	const { session } = await openSession();
	expect(leaveSession(execution('1', more).context, 'a', session)).toBe(false);
});

it('a session without a proxy is left to nobody', () => {
	expect(leaveSession(execution('1').context, 'a', new Session('slot'))).toBe(false);
});
