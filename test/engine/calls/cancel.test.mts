import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';
import { credentialData } from '../../../harness/credentials.mts';
import type { Fault, LoggedRequest } from '../../../sandbox/sandbox.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { startBrokenService, type BrokenService } from '../support/brokenService.mts';
import type { RunResult } from '../support/engine.mts';
import { Poller } from '../support/poller.mts';
import { sleep } from '../support/sleep.mts';
import { TOKENS, TestBed, type Extraction, useTestBed } from '../support/testBed.mts';

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
	faults: Fault[] = [],
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

const WAITS: ReadonlyArray<[name: string, extraction: Extraction, faults: Fault[]]> = [
	['waiting for the pace', { ...THREE_ITEMS, plan: 'regular' }, []],
	['waiting for an answer', THREE_ITEMS, [{ kind: 'hang' }]],
	['waiting for the rest of an answer', THREE_ITEMS, [{ kind: 'drip', ms: 400, bytes: 1 }]],
	['waiting after "too fast"', THREE_ITEMS, [{ kind: 'code', code: -22 }]],
];

const RUNS: Readonly<Record<string, () => Promise<Outcome>>> = {
	...Object.fromEntries(
		SETTINGS.flatMap(([setting, settings]) =>
			WAITS.map(([wait, extraction, faults]) => [
				`${wait} with ${setting}`,
				() => cancelled({ ...extraction, settings }, faults),
			]),
		),
	),
	'waiting for a token': () =>
		cancelled(
			{ ...THREE_ITEMS, credential: { signType: 'token' } },
			[{ kind: 'hang', path: TOKENS }],
			TOKENS,
		),
};

function expectEnd({ result, endedAfterMs, requests }: Outcome): void {
	expect(endedAfterMs).toBeLessThan(500);
	expect(requests).toHaveLength(1);
	expect(result.status).not.toBe('success');
	expect(result.errorItems).toEqual([]);
}

describe.each(WAITS)('an execution that is cancelled while it is %s', (wait) => {
	it.each(SETTINGS)(
		'ends at once and sends nothing more, with %s',
		async (setting) => {
			expectEnd(await RUNS[`${wait} with ${setting}`]());
		},
		20_000,
	);
});

it('ends at once and sends nothing more when it is cancelled while it waits for a token', async () => {
	expectEnd(await RUNS['waiting for a token']());
}, 20_000);

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

const bed = useTestBed();

/*
 * What came too late, or would fill the memory, is not only reported: its connection is closed. The time-out of
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

const FLOOD: Endless = { begin: BODY, more: 'x'.repeat(1_000_000), everyMs: 20 };

/** A service whose answers never end, and when each of its connections was closed. */
async function startEndless({ begin, more, everyMs }: Endless) {
	const closedAt: number[] = [];
	const service = await startBrokenService(answer, answer);
	function answer({ socket }: Parameters<Parameters<typeof startBrokenService>[0]>[0]): void {
		if (socket === null) throw new Error('There is no connection');
		socket.write(begin);
		const timer = setInterval(() => void socket.write(more), everyMs);
		socket.once('close', () => {
			clearInterval(timer);
			closedAt.push(performance.now());
		});
	}
	return { ...service, closedAt };
}

function credentialFor(
	{ hosts }: BrokenService,
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
	async 'for a token'(service) {
		const data = credentialFor(service, { signType: 'token' });
		const credentialId = bed().engine.addCredential(data);
		const { error } = await bed().extract({ credentialId, options: { timeout: 2 } });
		expect(Object.keys(service.calls).filter((path) => service.calls[path].length > 0)).toEqual([
			TOKENS,
		]);
		return String(error?.message);
	},
	async 'with the key pair of a chosen order'(service) {
		const account = bed().newAccount();
		const order = bed().newOrder('svip', { account });
		const data = bed().credentialData(account.keys, {
			keyType: 'account',
			svipUrl: service.hosts.svipUrl,
		});
		const { error } = await bed().engine.run({
			credentialId: bed().engine.addCredential(data),
			parameters: {
				...{ resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'svip', num: 1 },
				orderid: { __rl: true, mode: 'code', value: order.orderId },
				options: { timeout: 2 },
			},
		});
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

async function testOfCredential(service: EndlessService, signType: string): Promise<string> {
	const data = credentialFor(service, { signType });
	return (await bed().engine.testCredential(data)).message;
}

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

	it('whose body never ends is read no further than 10 MB', async () => {
		const service = await startEndless(FLOOD);
		expect(await CALLERS[name](service)).toContain("Kuaidaili's response is larger than 10 MB");
		await expectAllClosed(service);
	});
});

describe.each(['hmacsha1', 'token'])('the test of a credential with sign type %s', (signType) => {
	it.each(DRIPS)('ends in time where %s', async (_what, answer) => {
		const service = await startEndless(answer);
		expect(await testOfCredential(service, signType)).toContain('did not answer within 15 seconds');
		await expectAllClosed(service);
	});

	it('reads no further than 10 MB', async () => {
		const service = await startEndless(FLOOD);
		expect(await testOfCredential(service, signType)).toContain('is larger than 10 MB');
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
