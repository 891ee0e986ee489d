import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { useCredential } from '../../../harness/credentials.mts';
import { at, excerpt, readList, readString } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { triggerProperties } from '../../../nodes/KuaidailiTrigger/events/index.ts';
import { credentialOf } from '../keys.mts';
import type { E2eSession } from '../session.mts';

const TRIGGER = 'Kuaidaili Trigger';

interface EventCase {
	readonly event: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	prove(record: unknown): void;
}

/** Each event tried out by hand, and one in a workflow that is switched on. */
export const triggerEvents: CheckGroup<E2eSession> = {
	name: 'Trigger',
	async run(session, check) {
		const cases = eventCases(session);
		await check('Every event of the trigger is tried', () => {
			const menu = triggerProperties.find(({ name }) => name === 'event');
			const events = readList(menu, 'options').map((option) => readString(option, 'value'));
			expectEqual(
				events.sort().join(),
				cases
					.map(({ event }) => event)
					.sort()
					.join(),
				'the list',
			);
		});
		for (const { event, parameters, prove } of cases) {
			await check(`Trigger: ${event}, tried out by hand`, async () => {
				const id = await createWorkflow(session, { event, ...parameters });
				const items = itemsOf(await session.n8n.runWorkflow(id, TRIGGER), TRIGGER);
				expect(items.length > 0, 'it gives nothing to try out with');
				for (const item of items) {
					expectEqual(at(item, 'json', 'event'), event, "'event'");
					prove(at(item, 'json'));
				}
			});
		}
		await check('Trigger: a workflow that is switched on is started', async () => {
			const { n8n } = session;
			const id = await createWorkflow(session, {
				event: 'accountBalanceBelow',
				balanceBelow: 100_000_000,
			});
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

function eventCases({ sandbox: { store, keys } }: E2eSession): EventCase[] {
	const numberOf = (key: 'dpsPerIp' | 'opsExpired') => store.order(keys[key].secretId).orderId;
	return [
		{
			event: 'accountBalanceBelow',
			parameters: { balanceBelow: 100 },
			prove(record) {
				expectEqual(at(record, 'below'), 100, "'below'");
				const { balanceInFen } = store.account(keys.account.secretId);
				expectEqual(at(record, 'balanceNumber'), balanceInFen / 100, "'balanceNumber'");
			},
		},
		{
			event: 'ipBalanceBelow',
			parameters: {
				orderid: { __rl: true, mode: 'list', value: numberOf('dpsPerIp') },
				ipBalanceBelow: 1000,
			},
			prove(record) {
				const order = store.order(keys.dpsPerIp.secretId);
				const left = order.product === 'DPS' && order.ipBalance;
				expectEqual(at(record, 'balance'), left, "'balance'");
				expectEqual(at(record, 'orderid'), order.orderId, "'orderid'");
			},
		},
		{
			event: 'orderExpired',
			parameters: {},
			prove(record) {
				expectEqual(at(record, 'orderid'), numberOf('opsExpired'), "'orderid'");
				expectEqual(at(record, 'status'), 'EXPIRED', "'status'");
			},
		},
		{
			event: 'orderExpiring',
			parameters: { expiringWithin: 3, expiringWithinUnit: 'days' },
			prove(record) {
				const { expiresAt } = store.orderNumbered(readString(record, 'orderid'));
				const difference = Date.parse(readString(record, 'expiresAt')) - Number(expiresAt);
				expect(Math.abs(difference) < 1000, `'expiresAt' is wrong: ${excerpt(record)}`);
			},
		},
	];
}

async function createWorkflow(
	{ n8n }: E2eSession,
	parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
	return await n8n.createWorkflow({
		name: `Trial: ${TRIGGER}`,
		nodes: [
			{
				id: 'trigger',
				name: TRIGGER,
				type: 'n8n-nodes-kuaidaili.kuaidailiTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters,
				credentials: useCredential(credentialOf('account')),
			},
			{
				id: 'next',
				name: 'Next',
				type: 'n8n-nodes-base.noOp',
				typeVersion: 1,
				position: [220, 0],
				parameters: {},
			},
		],
		connections: { [TRIGGER]: { main: [[{ node: 'Next', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
}
