import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, isRecord, readList } from '../../../harness/outsideData.mts';
import type { Workflow } from '../../examples.mts';
import type { Session } from '../../session.mts';
import { until } from '../until.mts';
import { newCustomer } from './customer.mts';

const [OFFICE, FIRST, SECOND] = ['123.35.67.46', '58.251.132.181', '223.57.8.100'];

const OWN_IP = '/api/getmyip';
const LONGEST_MS = 60_000;

/** The example waits ten minutes between its runs. */
function withoutWaiting(workflow: Workflow): Workflow {
	const copy = structuredClone(workflow);
	for (const node of readList(copy, 'nodes')) {
		const parameters = at(node, 'parameters');
		if (isRecord(parameters) && 'rule' in parameters) {
			parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 2 }] };
		}
	}
	return copy;
}

/** examples/keep-whitelist-current.json */
export const keepWhitelistCurrent: CheckGroup<Session> = {
	name: 'Example "keep the whitelist current"',
	async run(session, check) {
		const customer = await newCustomer(session, 'keep-whitelist-current', withoutWaiting);
		const { sandbox, workflowId } = customer;
		const [order] = customer.orders;
		const { n8n, messages } = session;
		const sentBefore = messages.texts.length;
		// n8n remembers the address only for runs that a trigger starts
		const runFrom = async (address: string) => {
			sandbox.settings.clientAddress = address;
			const before = sandbox.log.count(OWN_IP);
			// The second one begins after the first has ended
			const hasRun = () => sandbox.log.count(OWN_IP) >= before + 2;
			expect(await until(hasRun, AbortSignal.timeout(LONGEST_MS)), 'it did not run');
		};
		const expectList = (...addresses: string[]) =>
			expectEqual(
				[...sandbox.whitelists.of(order)].sort().join(),
				addresses.sort().join(),
				'the list',
			);
		const expectTold = (...texts: string[]) =>
			expectEqual(messages.texts.slice(sentBefore).join(' '), texts.join(' '), 'what was told');
		const whitelist = `the whitelist of order ${order.orderId}`;
		const first = `Kuaidaili: ${whitelist} now has ${FIRST}.`;
		const second = `Kuaidaili: ${whitelist} now has ${SECOND} instead of ${FIRST}.`;

		await check('The first run adds the address of this n8n and leaves the others', async () => {
			sandbox.whitelists.replaceNow(order, [OFFICE]);
			await n8n.activate(workflowId);
			await runFrom(FIRST);
			expectList(OFFICE, FIRST);
			expectTold(first);
		});
		await check('An address that has not changed leads to nothing', async () => {
			await runFrom(FIRST);
			expectList(OFFICE, FIRST);
			expectTold(first);
		});
		await check('A new address replaces the old one, and one message says so', async () => {
			await runFrom(SECOND);
			expectList(OFFICE, SECOND);
			expectTold(first, second);
			await n8n.deactivate(workflowId);
		});
	},
};
