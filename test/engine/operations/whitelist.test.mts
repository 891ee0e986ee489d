import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { HOME, OFFICE, SERVER, whitelistOwner } from './whitelistOwner.mts';
import { until } from '../../virtualTime.mts';

const bed = useTestBed();

const LIST = '/api/getipwhitelist';
const ADD = '/api/addwhiteip';
const REPLACE = '/api/setipwhitelist';

/** Longer than any wait that is cancelled here. */
const AFTERWARDS_MS = 120_000;

const owner = () => whitelistOwner(bed());

/** By the clock of the test. */
function arrivals(path: string): number[] {
	return bed()
		.sandbox.log.entries(path)
		.map(({ arrival }) => arrival);
}

function count(path?: string): number {
	return bed().sandbox.log.count(path);
}

/** Moves the clock of the sandbox along with the one of the test. */
async function letTimePass<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	const done = work.finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await Promise.race([done.catch(() => undefined), sleep(1000)]);
		bed().sandbox.clock.advance(1000);
	}
	return await done;
}

describe("'Wait Until in Effect'", () => {
	it('reads the list 65 seconds after the change', async () => {
		const me = owner();
		const { items, error, tookMs } = await me.run('add', {
			iplist: OFFICE,
			waitUntilInEffect: true,
		});
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ count: 1, ipwhitelist: [OFFICE] });
		const [[added], [read]] = [arrivals(ADD), arrivals(LIST)];
		expect(read - added).toBeGreaterThanOrEqual(65_000);
		expect(tookMs).toBeLessThan(70_000);
	});

	it('does not wait where it is off, or when the change was refused', async () => {
		const me = owner();
		expect((await me.run('add', { iplist: OFFICE })).tookMs).toBeLessThan(5000);
		bed().sandbox.faults.add({ kind: 'code', code: -5, msg: '', path: ADD });
		const { error, tookMs } = await me.run('add', { iplist: HOME, waitUntilInEffect: true });
		expect(error?.message).toMatch(/did not add the IP addresses/);
		expect(tookMs).toBeLessThan(5000);
	});

	it.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'ends at once when the execution is cancelled, with On Error %s',
		async (onError) => {
			const me = owner();
			let cancelledAt = NaN;
			const cancelWhen = until(() => count(ADD) > 0)
				.then(async () => await sleep(30_000))
				.then(() => (cancelledAt = performance.now()));
			const result = await me.run(
				'add',
				{ iplist: '={{ $json.ip }}', waitUntilInEffect: true },
				{ items: [{ ip: OFFICE }, { ip: HOME }], cancelWhen, settings: { onError } },
			);
			expect(performance.now() - cancelledAt).toBeLessThan(500);
			expect(result.status).not.toBe('success');
			await sleep(AFTERWARDS_MS);
			// The change was made; nothing was asked or changed after it
			expect(me.listed()).toEqual([OFFICE]);
			expect(count()).toBe(1);
		},
	);

	it('says that the list was changed when it cannot be read afterwards', async () => {
		const me = owner();
		bed().sandbox.faults.add({ kind: 'code', code: -109, msg: '', path: LIST });
		const { error } = await me.run('add', { iplist: OFFICE, waitUntilInEffect: true });
		expect(error?.description).toContain(
			"The whitelist was changed. Check it with 'Whitelist: Get'",
		);
		expect(me.listed()).toEqual([OFFICE]);
		expect(count(ADD)).toBe(1);
	});
});

describe('a replacement while an earlier change is being applied', () => {
	it('is repeated until Kuaidaili accepts it', async () => {
		bed().sandbox.settings.whitelistWhileChanging = 'refuse';
		const me = owner();
		bed().sandbox.whitelists.replace(me.order, [OFFICE]);
		const { items, error } = await letTimePass(me.run('replace', { iplist: HOME }));
		bed().sandbox.settings.whitelistWhileChanging = 'accept';
		expect(error).toBeUndefined();
		expect(items[0].json.ipwhitelist).toEqual([HOME]);
		expect(me.listed()).toEqual([HOME]);
		expect(count(REPLACE)).toBeGreaterThan(1);
	});

	it('is given up after 90 seconds, and the message says what to do', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path: REPLACE });
		const { error, tookMs } = await owner().run('replace', { iplist: HOME });
		expect(error?.message).toMatch(/still applying an earlier change/);
		expect(error?.description).toMatch(/Wait a minute, then run this item again.*code -1/);
		expect(tookMs).toBeGreaterThan(80_000);
		expect(tookMs).toBeLessThan(100_000);
		const [first, ...others] = arrivals(REPLACE);
		expect(others.length).toBeGreaterThan(1);
		expect((others.at(-1) ?? 0) - first).toBeLessThanOrEqual(95_000);
	});

	it('ends at once when the execution is cancelled meanwhile, and nothing more is sent', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path: REPLACE });
		const me = owner();
		let cancelledAt = NaN;
		const cancelWhen = until(() => count(REPLACE) > 0)
			.then(async () => await sleep(2000))
			.then(() => (cancelledAt = performance.now()));
		const { status } = await me.run('replace', { iplist: HOME }, { cancelWhen });
		expect(performance.now() - cancelledAt).toBeLessThan(500);
		expect(status).not.toBe('success');
		const sent = count();
		await sleep(AFTERWARDS_MS);
		expect(count()).toBe(sent);
		expect(me.listed()).toEqual([]);
	});

	it("fails all items of the list with 'Continue (using error output)', after one try", async () => {
		const me = owner();
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path: REPLACE, times: 7 });
		const { items, errorItems } = await me.run(
			'replace',
			{ iplist: '={{ $json.ip }}' },
			{ items: [{ ip: HOME }, { ip: SERVER }], settings: { onError: 'continueErrorOutput' } },
		);
		expect(items).toEqual([]);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		for (const { json } of errorItems) {
			expect(json.error).toMatch(/still applying an earlier change/);
		}
		expect(me.listed()).toEqual([]);
	});
});
