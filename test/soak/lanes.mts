import { setTimeout as sleep } from 'node:timers/promises';
import { readString } from '../../harness/outsideData.mts';
import { serveWorkflow, type StartWorkflow } from './laneWorkflow.mts';
import { CREDENTIALS, type SoakSession } from './session.mts';

/** One kind of work that goes on for the whole time, as fast as the service allows. */
export interface Lane {
	readonly name: string;
	/** Items that came out as they should. */
	done: number;
	readonly failures: string[];
	/** Once through. */
	readonly run: () => Promise<number>;
	/** What a lane waits between two runs; the pace is kept by the node. */
	readonly pauseMs: number;
}

/** Few, so that all lanes come to rest soon when the memory is looked at. */
const EXTRACTIONS_PER_RUN = 10;
const PROXIES_PER_EXTRACTION = 20;
const CALLS_PER_RUN = 2;
const BANDWIDTHS = [1, 4];
/** Between two orders; each of them is renewed once. */
const PURCHASE_EVERY_MS = 30_000;
const FAILURES_KEPT = 20;
const AFTER_FAILURE_MS = 1000;
const LOOK_EVERY_MS = 20;

const EXTRACT = {
	resource: 'proxy',
	operation: 'extract',
	plan: 'svip',
	num: '={{ $json.item.num }}',
	filters: {},
	extraFields: { fLoc: true },
};
const CITIES = {
	resource: 'city',
	operation: 'getAll',
	serie: 1,
	kpsMaxBandwidth: '={{ $json.item.bandwidth }}',
	limit: 3,
};
const ORDERS = { resource: 'order', operation: 'getAll', status: 'VALID', limit: 3 };
const ENABLE = { resource: 'autoRenewal', operation: 'enable', timeType: '={{ $json.item.unit }}' };
const DISABLE = { resource: 'autoRenewal', operation: 'disable' };
const CREATE = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	prepayTimeNumber: 1,
	tpsPeriod: 0,
};
const RENEW = {
	resource: 'order',
	operation: 'renew',
	orderid: { __rl: true, mode: 'code', value: '={{ $json.item.orderid }}' },
	renewWhen: 'expiring',
	expiringWithin: 3,
	expiringWithinUnit: 'days',
	renewalOf: 'prepaid',
	timeType: 'MONTH',
	timeNumber: 1,
};

type Output = Array<Record<string, unknown>>;

function expectCount(output: Output, count: number): number {
	if (output.length !== count) throw new Error(`${output.length} items came out, not ${count}`);
	return count;
}

function expectEach(output: Output, name: string, value: unknown): void {
	for (const record of output) {
		if (record[name] !== value) throw new Error(`'${name}' is ${String(record[name])}`);
	}
}

async function buyAndRenew(create: StartWorkflow, renew: StartWorkflow): Promise<number> {
	const [order] = await create([{}]);
	const orderid = readString(order, 'orderid');
	const renewed = await renew([{ orderid }]);
	expectEach(renewed, 'orderid', orderid);
	expectEach(renewed, 'renewed', true);
	return 1 + expectCount(renewed, 1);
}

/** Mixed work with three key pairs. */
export async function openLanes(session: SoakSession): Promise<readonly Lane[]> {
	const { account, openProxies, tunnel } = CREDENTIALS;
	const extract = await serveWorkflow(session, 'extract', EXTRACT, openProxies);
	const cities = await serveWorkflow(session, 'cities', CITIES, account);
	const orders = await serveWorkflow(session, 'orders', ORDERS, account);
	const enable = await serveWorkflow(session, 'enable', ENABLE, tunnel);
	const disable = await serveWorkflow(session, 'disable', DISABLE, tunnel);
	const create = await serveWorkflow(session, 'create', CREATE, account);
	const renew = await serveWorkflow(session, 'renew', RENEW, account);

	const several = <T,>(count: number, item: (index: number) => T) =>
		Array.from({ length: count }, (_none, index) => item(index));
	const lane = (name: string, run: Lane['run'], pauseMs = 0): Lane => ({
		name,
		done: 0,
		failures: [],
		run,
		pauseMs,
	});
	return [
		lane('Proxy: Extract', async () => {
			const items = several(EXTRACTIONS_PER_RUN, () => ({ num: PROXIES_PER_EXTRACTION }));
			const count = EXTRACTIONS_PER_RUN * PROXIES_PER_EXTRACTION;
			return expectCount(await extract(items), count);
		}),
		lane('City: Get Many', async () => {
			const output = await cities(BANDWIDTHS.map((bandwidth) => ({ bandwidth })));
			return expectCount(output, 3 * BANDWIDTHS.length);
		}),
		lane('Order: Get Many', async () =>
			expectCount(await orders(several(CALLS_PER_RUN, () => ({}))), 3 * CALLS_PER_RUN),
		),
		lane('Auto-Renewal', async () => {
			const units = ['WEEK', 'MONTH'];
			const enabled = await enable(units.map((unit) => ({ unit })));
			expectEach(enabled, 'enabled', true);
			const disabled = await disable([{}]);
			expectEach(disabled, 'enabled', false);
			return expectCount([...enabled, ...disabled], units.length + 1);
		}),
		lane('Order: Create and Renew', () => buyAndRenew(create, renew), PURCHASE_EVERY_MS),
	];
}

/** Lets all lanes work until the time is over, and lets them rest in between. */
export class LaneRunner {
	private resting: Promise<void> | undefined;

	private running = 0;

	constructor(
		private readonly lanes: readonly Lane[],
		private readonly endsAt: number,
	) {}

	async run(): Promise<void> {
		await Promise.all(this.lanes.map(async (lane) => await this.keepRunning(lane)));
	}

	/** Does something while nothing is under way. */
	async atRest<Result>(something: () => Promise<Result>): Promise<Result> {
		let goOn = () => {};
		this.resting = new Promise((resolve) => (goOn = resolve));
		try {
			while (this.running > 0) await sleep(LOOK_EVERY_MS);
			return await something();
		} finally {
			this.resting = undefined;
			goOn();
		}
	}

	/** What fails is kept. */
	private async keepRunning(lane: Lane): Promise<void> {
		while (performance.now() < this.endsAt) {
			await this.resting;
			this.running += 1;
			try {
				lane.done += await lane.run();
			} catch (error) {
				const text = error instanceof Error ? error.message : String(error);
				if (lane.failures.length < FAILURES_KEPT) lane.failures.push(text);
				await sleep(AFTER_FAILURE_MS);
			} finally {
				this.running -= 1;
			}
			await sleep(Math.max(0, Math.min(lane.pauseMs, this.endsAt - performance.now())));
		}
	}
}
