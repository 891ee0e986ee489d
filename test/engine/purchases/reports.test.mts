import { DAY } from '../../durations.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { FEWER, typed, WEEK } from '../support/customer.mts';
import { hintsOf, records, textOf } from '../support/results.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY, scheduled } from '../support/runSettings.mts';
import { useWorkbench } from '../support/workbench.mts';

/* What a run says of its purchases, and of those that failed. */

const { customer } = useWorkbench({ rateLimits: false });

it.each([{}, CONTINUE, CONTINUE_WITH_ERRORS])(
	'Items that fail keep who they are: %j',
	async (settings) => {
		const orders = many(3, () => customer.tunnel(DAY));
		customer.refuseRenewals(orders.slice(1, 2));
		const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
		const who = { orderid: orders[1].orderId, productName: 'Tunnel Proxy', renewed: false };
		if (settings === CONTINUE) expect(records(result)[1]).toMatchObject(who);
		else if (settings === CONTINUE_WITH_ERRORS) {
			// n8n lets nothing stand beside an error there but what came in
			expect(result.errorItems[0].json).toMatchObject({ order: orders[1].orderId });
			expect(result.errorItems[0].json.error).toContain(`order ${orders[1].orderId}`);
		} else {
			expect(textOf(result)).toContain(orders[1].orderId);
		}
		expect(customer.paid).toBe(2);
	},
);

it('The hint counts what was renewed and for how much, what is not due, and what failed', async () => {
	const due = many(4, () => customer.tunnel(DAY));
	const late = many(3, () => customer.tunnel(20 * DAY));
	const broken = many(2, () => customer.tunnel(DAY));
	customer.refuseRenewals(broken);
	const settings = CONTINUE;
	const result = await customer.renewEach([...due, ...late, ...broken], WEEK, {
		...scheduled(),
		settings,
	});
	expect(hintsOf(result)).toContain('4 renewed (154 yuan), 3 not due, 2 failed.');
});

it('Purchases say what they are in a sentence, and when they were made', async () => {
	const order = customer.tunnel(DAY);
	const [record] = records(await customer.renewEach([order], WEEK, scheduled()));
	expect(record.text).toMatch(
		new RegExp(
			`^Renewed Tunnel Proxy order ${order.orderId} by 1 week for 38.5 yuan, until \\d{4}-\\d\\d-\\d\\d$`,
		),
	);
	expect(record.purchasedAt).toMatch(/^\d{4}-\d\d-\d\dT.*\+08:00$/);
	const [created] = records(await customer.buy({}, scheduled()));
	expect(created.purchasedAt).toMatch(/^\d{4}-\d\d-\d\dT.*\+08:00$/);
	const [enough] = records(await customer.buy(FEWER, scheduled()));
	expect(enough.created).toBe(false);
	expect(String(enough.reason).split(' ').length).toBeLessThan(20);
});

describe('The advice of a refusal', () => {
	const LEAVE_OUT = 'Leave the items that were bought out';

	it.each([
		['with a condition, never says to leave items out that it would pass', true],
		['without one, says which items to leave out', false],
	])('of new orders %s', async (_what, hasCondition) => {
		void customer.asked(API.createorder).then(() => {
			customer.account.balanceInFen = 0;
		});
		const fields = hasCondition ? { ...FEWER, fewerThan: 5 } : {};
		const text = textOf(await customer.buy(fields, { items: many(2, () => ({})), ...scheduled() }));
		expect(text).toContain(customer.payments[0].orderId);
		expect(text).not.toContain('Max Orders');
		expect(text.includes(LEAVE_OUT)).toBe(!hasCondition);
		if (hasCondition) expect(text).not.toContain('bought again');
	});
});

it('What was renewed before a retry has a text to send as well', async () => {
	const orders = [customer.tunnel(DAY), customer.tunnel(2 * DAY)];
	customer.refuseRenewals(orders.slice(1), 1);
	const settings = { id: uniqueName('node'), ...RETRY };
	const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
	expect(records(result).map(({ text }) => text)).toEqual(
		orders.map(({ orderId }) => expect.stringContaining(`Renewed Tunnel Proxy order ${orderId}`)),
	);
});

it('A key in the wrong field is not repeated', async () => {
	const orderid = typed('u3x92sd8gh4kq0zb77mw1h5c');
	const { items } = await customer.renewAll({ ...WEEK, orderid }, { settings: CONTINUE });
	expect(JSON.stringify(items)).not.toContain(orderid.value);
});
