import { uniqueName } from '../../uniqueName.mts';
import { CREATE, Customer, LIST } from '../support/customer.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

/* Money is spent once, and what it bought is told, when the list of orders takes its time. */

const bed = useTestBed();

describe('Order: Create', () => {
	it('takes a second click for a double click however long the list of orders takes', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'delay', ms: 12_000, path: LIST });
		const settings = { id: uniqueName('node') };
		const fields = { options: { timeout: 60 } };
		const click = async () =>
			await customer.buy(fields, { settings, executionId: uniqueName('execution') });
		const first = click();
		await sleep(500);
		const [one, two] = await Promise.all([first, click()]);
		expect(customer.paid).toBe(1);
		expect(one.error).toBeUndefined();
		expect(two.items[0].json).toMatchObject({
			orderid: customer.payments[0].orderId,
			created: false,
		});
	}, 120_000);

	it('names what is paid when the run is cancelled while it reads when the order ends', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const paid = customer.asked(CREATE).then(async () => {
			customer.sandbox.faults.add({ kind: 'hang', path: LIST });
			await customer.asked(LIST, 2);
		});
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const run = await customer.buy({}, { settings, cancelWhen: paid });
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(run.status).not.toBe('success');
		expect(customer.paid).toBe(1);
		expect(logged).toContain(customer.payments[0].orderId);
	}, 60_000);
});
