import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { startBrokenService, type BrokenService } from '../support/brokenService.mts';
import { Poller } from '../support/poller.mts';
import { TOKENS, useTestBed } from '../support/testBed.mts';
import { until } from '../support/until.mts';

/*
 * What came too late, or would fill the memory, is not only reported: its connection is closed. The time-out of
 * n8n's helpers begins again with every byte.
 */

const bed = useTestBed();

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
		await service.close();
	});

	it('whose body never ends is read no further than 10 MB', async () => {
		const service = await startEndless(FLOOD);
		expect(await CALLERS[name](service)).toContain("The service's response is larger than 10 MB");
		await expectAllClosed(service);
		await service.close();
	});
});

describe.each(['hmacsha1', 'token'])('the test of a credential with sign type %s', (signType) => {
	it.each(DRIPS)('ends in time where %s', async (_what, answer) => {
		const service = await startEndless(answer);
		expect(await testOfCredential(service, signType)).toContain('did not answer within 15 seconds');
		await expectAllClosed(service);
		await service.close();
	});

	it('reads no further than 10 MB', async () => {
		const service = await startEndless(FLOOD);
		expect(await testOfCredential(service, signType)).toContain('is larger than 10 MB');
		await expectAllClosed(service);
		await service.close();
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
		await service.close();
	},
);
