import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import type { Fault, LoggedRequest } from '../../../sandbox/sandbox.mts';
import { HOUR } from '../../durations.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { Poller } from '../support/poller.mts';
import { succeeded } from '../support/results.mts';
import { type ScriptedService, startScriptedService } from '../support/scriptedService.mts';
import { sleep } from '../support/sleep.mts';
import { type Extraction, TestBed } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

const INTERVAL_MS = 200;

/** What the node leaves between two calls: 25 ms more, because the network moves arrivals. */
const GAP_MS = INTERVAL_MS + 25;

const { bed } = useWorkbench();

function arrivals(secretId: string): number[] {
	return bed()
		.extractions.filter(({ parameters }) => parameters.secret_id === secretId)
		.map(({ arrival }) => arrival);
}

/** That calls came in a row, each one `gapMs` after the one before. */
function expectGaps(times: readonly number[], gapMs: number): void {
	for (const gap of times.slice(1).map((time, index) => time - times[index])) {
		expect(gap).toBeGreaterThanOrEqual(gapMs);
		// Timers end at whole milliseconds
		expect(gap).toBeLessThanOrEqual(gapMs + 1);
	}
}

describe('many executions at once with one key', () => {
	it('call in the order in which they came, each one interval and 25 ms after the other', async () => {
		const { keys } = bed().newOrder();
		// Two credentials with the same key, as two people may have them
		const ids = [bed().addCredential(keys), bed().addCredential(keys)];
		const runs = Array.from({ length: 20 }, (_, index) =>
			bed().extract({ credentialId: ids[index % 2], num: index + 1 }),
		);
		const results = await Promise.all(runs);

		expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
		expect(results.map(({ items }) => items.length)).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expect(bed().extractions.map(({ parameters }) => Number(parameters.num))).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expectGaps(arrivals(keys.secretId), GAP_MS);
	});
});

it('different keys do not wait for each other', async () => {
	const orders = [bed().newOrder(), bed().newOrder(), bed().newOrder('vip')];
	const [one, other, vip] = orders.map(({ keys }) => bed().addCredential(keys));
	const runs = [
		...Array.from({ length: 6 }, () => [
			bed().extract({ credentialId: one }),
			bed().extract({ credentialId: other }),
		]).flat(),
		bed().extract({ plan: 'vip', credentialId: vip }),
		bed().extract({ plan: 'vip', credentialId: vip }),
	];
	const results = await Promise.all(runs);
	expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
	const [first, second, ofVip] = orders.map(({ keys }) => arrivals(keys.secretId));
	expectGaps(first, GAP_MS);
	expectGaps(second, GAP_MS);
	expectGaps(ofVip, 1050);
	expect([first, second, ofVip].map((times) => times[0])).toEqual(Array(3).fill(first[0]));
});

/* Calls that are signed with a time that the service refuses. */

const BALANCE = { resource: 'account', operation: 'getBalance' };

/** What each call got. */
function codes(): Array<number | undefined> {
	return bed()
		.sandbox.log.entries('/api/getaccountbalance')
		.map(({ code }) => code);
}

it('a correction of the clock that failed is dropped: a gateway dates the answers wrongly', async () => {
	const me = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'code', code: -112, times: 1 });
	bed().sandbox.faults.add({ kind: 'dateOffset', seconds: 10 * 24 * 3600 });
	expect((await me.run(BALANCE)).error).toMatchObject({ httpCode: '-112' });
	for (let run = 0; run < 2; run++) expect(succeeded(await me.run(BALANCE))).toHaveLength(1);
	expect(codes()).toEqual([-112, -112, 0, 0]);
});

it('a correction is kept while it works, and dropped when the clocks agree again', async () => {
	const me = new Customer(bed());
	const { clock } = bed().sandbox;
	clock.advance(20 * HOUR);
	for (let run = 0; run < 2; run++) expect(succeeded(await me.run(BALANCE))).toHaveLength(1);
	clock.advance(-20 * HOUR);
	for (let run = 0; run < 2; run++) expect(succeeded(await me.run(BALANCE))).toHaveLength(1);
	expect(codes()).toEqual([-112, 0, 0, -112, 0, 0]);
});

it('of several calls at once, none drops what another one has learned', async () => {
	const owners = Array.from({ length: 5 }, () => new Customer(bed()));
	bed().sandbox.clock.advance(20 * HOUR);
	const runs = await Promise.all(owners.map(async (each) => await each.run(BALANCE)));
	for (const run of runs) expect(succeeded(run)).toHaveLength(1);
	bed().sandbox.clock.reset();
	expect(succeeded(await owners[0].run(BALANCE))).toHaveLength(1);
});

it('a machine 20 hours behind finds what is due by the clock of the service', async () => {
	const me = new Customer(bed());
	bed().sandbox.clock.advance(20 * HOUR);
	const due = me.tunnel({ expiresAt: me.inDays(0.4) });
	me.tunnel({ expiresAt: me.inDays(0.6) });
	const filters = { expiringWithinHours: 12 };
	const list = succeeded(await me.run({ resource: 'order', operation: 'getAll', filters }));
	expect(list.map(({ orderid }) => orderid)).toEqual([due.orderId]);
	bed().sandbox.clock.reset();
	expect(succeeded(await me.run(BALANCE))).toHaveLength(1);
});

/** Longer than any wait of the node that is cancelled here: what it still sent would have arrived. */
const AFTERWARDS_MS = 6000;

interface Outcome {
	result: RunResult;
	endedAfterMs: number;
	/** All that arrived until long after the end. */
	requests: readonly LoggedRequest[];
}

const THREE_ITEMS: Extraction = { items: [{}, {}, {}] };

/** Runs an extraction, and cancels it a moment after its first request arrived. */
async function cancelled(
	extraction: Extraction,
	faults: readonly Fault[],
	firstPath?: string,
): Promise<Outcome> {
	const bed = await TestBed.start();
	bed.sandbox.faults.add(...faults);
	let cancelledAt = NaN;
	const cancelWhen = until(() => bed.sandbox.log.count(firstPath) > 0)
		.then(async () => await sleep(200))
		.then(() => (cancelledAt = performance.now()));
	const result = await bed.extract({ ...extraction, cancelWhen });
	const endedAfterMs = performance.now() - cancelledAt;
	await sleep(AFTERWARDS_MS);
	const requests = [...bed.sandbox.log.entries()];
	await bed.close();
	return { result, endedAfterMs, requests };
}

const SETTINGS: ReadonlyArray<[name: string, settings: Partial<INode>]> = [
	['the usual settings', {}],
	['the setting "continue"', { onError: 'continueRegularOutput' }],
	['the setting "continue (using error output)"', { onError: 'continueErrorOutput' }],
	['the setting "continue" of older versions', { continueOnFail: true }],
	['Retry On Fail', { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }],
];

const WAITS: ReadonlyArray<[name: string, extraction: Extraction, faults: readonly Fault[]]> = [
	['waiting for the pace', { ...THREE_ITEMS, plan: 'regular' }, []],
	['waiting for an answer', THREE_ITEMS, [{ kind: 'hang' }]],
	['waiting for the rest of an answer', THREE_ITEMS, [{ kind: 'drip', ms: 400, bytes: 1 }]],
	['waiting after "too fast"', THREE_ITEMS, [{ kind: 'code', code: -22 }]],
];

function expectEnd({ result, endedAfterMs, requests }: Outcome): void {
	expect(endedAfterMs).toBeLessThan(500);
	expect(requests).toHaveLength(1);
	expect(result.status).not.toBe('success');
	expect(result.errorItems).toEqual([]);
}

/** Each wait once, and one of them with each setting, which must neither repeat it nor make an item of it. */
const CANCELLATIONS = [
	...WAITS.map(([wait, extraction, faults]) => [wait, SETTINGS[0][0], extraction, faults] as const),
	...SETTINGS.slice(1).map(([name, settings]) => {
		const [wait, extraction, faults] = WAITS[1];
		return [wait, name, { ...extraction, settings }, faults] as const;
	}),
];

it.each(CANCELLATIONS)(
	'an execution that is cancelled while it is %s ends at once and sends nothing more, with %s',
	async (_wait, _setting, extraction, faults) => {
		expectEnd(await cancelled(extraction, faults));
	},
);

it('ends at once and sends nothing more when it is cancelled while it waits for a token', async () => {
	const extraction = { ...THREE_ITEMS, credential: { signType: 'token' } };
	const hang: Fault = { kind: 'hang', path: API.get_secret_token };
	expectEnd(await cancelled(extraction, [hang], API.get_secret_token));
});

it('gives its place in the line to those behind it', async () => {
	const bed = await TestBed.start();
	const order = bed.newOrder('vip');
	const credentialId = bed.addCredential(order.keys);
	const extraction: Extraction = { plan: 'vip', credentialId };

	const first = bed.extract({ ...extraction, num: 1 });
	await until(() => bed.extractions.length === 1);
	const second = bed.extract({ ...extraction, num: 2, cancelWhen: sleep(100) });
	const third = bed.extract({ ...extraction, num: 3 });
	const results = await Promise.all([first, second, third]);
	const calls = [...bed.extractions];
	await bed.close();

	expect(results.map(({ status }) => status === 'success')).toEqual([true, false, true]);
	expect(calls.map(({ parameters }) => parameters.num)).toEqual(['1', '3']);
	// One interval, not two
	expect(calls[1].arrival - calls[0].arrival).toBeLessThan(1500);
});

/*
 * What comes too late is not only reported: its connection is closed. The time-out of
 * n8n's helpers begins again with every byte.
 */

const HEADERS = 'HTTP/1.1 200 OK\r\nx-endless: ';
const BODY = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"code":0,"msg":"';

interface Endless {
	/** Sent at once. */
	readonly begin: string;
	/** Sent again and again. */
	readonly more: string;
	readonly everyMs: number;
}

const DRIPS: ReadonlyArray<[name: string, answer: Endless]> = [
	['headers come byte by byte', { begin: HEADERS, more: 'x', everyMs: 200 }],
	['body comes byte by byte', { begin: BODY, more: 'x', everyMs: 200 }],
];

/** A service whose answers never end, and when each of its connections was closed. */
async function startEndless({ begin, more, everyMs }: Endless) {
	const closedAt: number[] = [];
	const service = await startScriptedService(() => ({ socket }) => {
		if (socket === null) throw new Error('There is no connection');
		socket.write(begin);
		const timer = setInterval(() => void socket.write(more), everyMs);
		socket.once('close', () => {
			clearInterval(timer);
			closedAt.push(performance.now());
		});
	});
	return { ...service, closedAt };
}

function credentialFor(
	{ hosts }: ScriptedService,
	changes: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	return { ...credentialData(hosts, uniqueKeys(), 'order'), ...changes };
}

type EndlessService = Awaited<ReturnType<typeof startEndless>>;

/** What calls the service; gives what the user reads. */
const CALLERS: Readonly<Record<string, (service: EndlessService) => Promise<string>>> = {
	async 'of an execution'(service) {
		const credentialId = bed().engine.addCredential(credentialFor(service));
		const { error } = await bed().extract({ credentialId, options: { timeout: 2 } });
		return String(error?.message);
	},
	async 'of the trigger'(service) {
		const credentialId = bed().engine.addCredential(credentialFor(service, { keyType: 'account' }));
		const poller = new Poller(bed().engine, {
			credentialId,
			parameters: { event: 'accountBalanceBelow', balanceBelow: 10 },
		});
		return await poller.activate().then(String, (error: unknown) => String(error));
	},
};

async function expectAllClosed({ calls, closedAt }: EndlessService): Promise<void> {
	const opened = Object.values(calls).flat().length;
	expect(opened).toBeGreaterThan(0);
	const reportedAt = performance.now();
	await until(() => closedAt.length === opened, 30_000);
	expect(Math.max(...closedAt) - reportedAt).toBeLessThan(1000);
}

describe.each(Object.keys(CALLERS))('a request %s', (name) => {
	it.each(DRIPS)('whose %s ends with its time', async (_what, answer) => {
		const service = await startEndless(answer);
		expect(await CALLERS[name](service)).toMatch(/did not answer within \d+ seconds/);
		await expectAllClosed(service);
	});
});

it.each(['hmacsha1', 'token'])(
	'what a cancelled execution waits for ends with it, with sign type %s',
	async (signType) => {
		const service = await startEndless({ begin: '', more: '', everyMs: 1000 });
		const credentialId = bed().engine.addCredential(credentialFor(service, { signType }));
		const cancelWhen = until(() => Object.values(service.calls).flat().length > 0);
		const { status } = await bed().extract({ credentialId, cancelWhen });
		expect(status).toBe('canceled');
		await expectAllClosed(service);
	},
);
