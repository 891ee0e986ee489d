import { Customer, typed, WEEK_ALWAYS } from '../support/customer.mts';
import { callsOfAgents } from '../support/toolCalls.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ rateLimits: false });

describe('a tool that an agent calls', () => {
	it('renews no order in place of the one that the other call names', async () => {
		const customer = new Customer(bed());
		const [first, second] = [customer.addOrder('dps'), customer.addOrder('kps')];
		const ends = [first, second].map(({ expiresAt }) => expiresAt?.getTime() ?? NaN);
		const outputs: string[] = [];
		await bed().engine.run({
			credentialId: customer.credentialId,
			parameters: {
				...{ resource: 'order', operation: 'renew', ...WEEK_ALWAYS },
				orderid: typed("={{ $fromAI('order', 'The number of the order', 'string') }}"),
			},
			agent: callsOfAgents(
				[first, second].map(({ orderId }) => ({ order: orderId })),
				outputs,
			),
		});
		const refused = outputs.filter((text) => text.includes('n8n mixed up two calls of this tool'));
		expect(refused).toHaveLength(1);
		expect(bed().sandbox.ledger.count()).toBe(1);
		expect(first.expiresAt?.getTime()).toBe(ends[0] + 7 * 86_400_000);
		expect(second.expiresAt?.getTime()).toBe(ends[1]);
	});
});
