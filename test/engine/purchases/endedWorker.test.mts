import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { DAY } from '../../durations.mts';
import {
	CREATE,
	Customer,
	KEY_PAIR,
	LIST,
	READ_ATTEMPTS,
	RENEW,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import { useDeduplicationRecords } from '../support/deduplication.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';
import { TestBed } from '../support/testBed.mts';

/* An execution that n8n delivers to another worker, because the first one ended in the middle of it. */

let own: TestBed;
const bed = () => own;
beforeAll(async () => {
	await useDeduplicationRecords();
	own = await TestBed.start();
});
// Calls may come too fast: the second worker knows nothing of the first one's
afterEach(() => own.reset());
afterAll(async () => await own.close());

const COUNT = 5;
/** So many purchases are over by then. */
const BEFORE = 2;

const FATES: ReadonlyArray<[name: string, fault: Fault]> = [
	['answered too late', { kind: 'delay', ms: 5000, when: 'after' }],
	['carried out late', { kind: 'delay', ms: 5000, when: 'before' }],
	['never carried out', { kind: 'hang', when: 'before' }],
];

interface Workflow {
	readonly customer: Customer;
	readonly path: string;
	readonly settings: RunSettings;
}

function create(): Workflow {
	const customer = new Customer(bed());
	const parameters = {
		...NEW_TUNNEL,
		options: { maxOrdersPerRun: COUNT },
	};
	return { customer, path: CREATE, settings: settingsFor(customer, parameters) };
}

function renew(options: IDataObject = {}, fields: IDataObject = WEEK_ALWAYS) {
	const customer = new Customer(bed());
	const orders = Array.from({ length: COUNT }, (_none, n) => customer.tunnel(DAY + n * 60_000));
	const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
	const parameters = { resource: 'order', operation: 'renew', orderid, ...fields, options };
	const items = orders.map(({ orderId }) => ({ order: orderId }));
	return {
		orders,
		customer,
		path: RENEW,
		settings: { ...settingsFor(customer, parameters), items },
	};
}

function settingsFor({ account }: Customer, parameters: IDataObject): RunSettings {
	return {
		parameters,
		credentialId: own.addCredential(account.keys, { keyType: 'account' }),
		items: Array.from({ length: COUNT }, () => ({})),
		settings: { id: uniqueName('node'), onError: 'continueRegularOutput' },
		executionId: uniqueName('execution'),
	};
}

/** What the worker that ended put out nobody knows; the fault hits the purchase that it was about to make. */
async function endDuringPurchase(
	{ customer, path, settings }: Workflow,
	fault: Fault,
): Promise<void> {
	const first = bed().engine.run({ ...settings, cancelWhen: customer.asked(path, BEFORE + 1) });
	await customer.asked(path, BEFORE);
	bed().sandbox.faults.add({ ...fault, path, times: 1 });
	await first;
	bed().sandbox.faults.clear();
}

async function deliverAgain({ settings }: Workflow): Promise<RunResult> {
	return await bed().engine.anotherProcess().run(settings);
}

const numbersOf = ({ items }: RunResult) => items.map(({ json }) => json.orderid);
const paidOrders = ({ customer }: Workflow) => customer.payments.map(({ orderId }) => orderId);

describe.each(FATES)('Five purchases, the third one %s when its worker ends', (_name, fault) => {
	it('are five orders in the end, and their numbers come out', async () => {
		const workflow = create();
		await endDuringPurchase(workflow, fault);
		const second = await deliverAgain(workflow);
		expect(paidOrders(workflow)).toHaveLength(COUNT);
		expect(numbersOf(second)).toEqual(paidOrders(workflow));
		expect(second.items.map(({ json }) => json.created)).toEqual(Array(COUNT).fill(true));
	});

	it.each([
		['always', WEEK_ALWAYS],
		['if expiring', { ...WEEK_ALWAYS, renewWhen: 'expiring', expiringWithin: 3 }],
	])('are five renewals in the end: %s', async (_when, fields) => {
		const workflow = renew({}, fields);
		await endDuringPurchase(workflow, fault);
		const second = await deliverAgain(workflow);
		const wanted = workflow.orders.map(({ orderId }) => orderId);
		expect(paidOrders(workflow).sort()).toEqual(wanted.sort());
		expect(numbersOf(second).sort()).toEqual(wanted);
		expect(second.items.map(({ json }) => json.renewed)).toEqual(Array(COUNT).fill(true));
	});
});

describe('What the worker that ended has bought', () => {
	const [, fault] = FATES[0];

	it('counts against the limit', async () => {
		const workflow = renew({ maxOrdersPerRun: 4 });
		await endDuringPurchase(workflow, fault);
		const { items } = await deliverAgain(workflow);
		expect(workflow.customer.paid).toBe(4);
		expect(items.filter(({ json }) => json.renewed === true)).toHaveLength(4);
	});

	it('is known to each attempt of a node with Retry On Fail', async () => {
		const workflow = renew();
		await endDuringPurchase(workflow, fault);
		// The first attempt learns nothing of the first order
		bed().sandbox.faults.add({ kind: 'status', status: 500, path: KEY_PAIR, times: READ_ATTEMPTS });
		const { settings } = workflow.settings;
		const retried = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0, onError: undefined };
		const { items, error } = await deliverAgain({
			...workflow,
			settings: { ...workflow.settings, settings: { ...settings, ...retried } },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.renewed)).toEqual(Array(COUNT).fill(true));
		expect(workflow.customer.paid).toBe(COUNT);
	});

	it('is an error where the orders can be read neither before nor afterwards', async () => {
		const workflow = create();
		bed().sandbox.faults.add({ kind: 'status', status: 500, path: LIST });
		const first = bed().engine.run({
			...workflow.settings,
			cancelWhen: workflow.customer.asked(CREATE, 1),
		});
		bed().sandbox.faults.add({ ...fault, path: CREATE, times: 1 });
		await first;
		const { items } = await deliverAgain(workflow);
		// Each of the others is an order of its own
		expect(workflow.customer.paid).toBe(COUNT);
		expect(items[0].json.error).toMatch(/^The order may have been placed/);
	});

	it('is an error where another order of the kind was placed meanwhile', async () => {
		const workflow = create();
		await endDuringPurchase(workflow, fault);
		workflow.customer.tunnel(DAY);
		const { items } = await deliverAgain(workflow);
		expect(workflow.customer.paid).toBe(COUNT);
		expect(items[BEFORE].json.error).toMatch(/^The order may have been placed/);
	});
});

it('A worker that is only taken for dead, and the other one, buy each thing once at most', async () => {
	const workflow = create();
	const first = bed().engine.run(workflow.settings);
	await workflow.customer.asked(CREATE, BEFORE);
	await Promise.all([first, deliverAgain(workflow)]);
	expect(workflow.customer.paid).toBeLessThanOrEqual(COUNT);
});
