import { performance as realPerformance } from 'node:perf_hooks';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { addresses, listAnswer, startScriptedService } from '../support/scriptedService.mts';
import { TOKENS } from '../support/testBed.mts';
import { bed, expectFailure, withFault } from './faultyService.mts';

/** By the clock of the test, and by the real one, which time-outs of sockets keep. */
async function took<T>(work: Promise<T>): Promise<[result: T, ms: number, realMs: number]> {
	const [start, realStart] = [performance.now(), realPerformance.now()];
	const result = await work;
	return [result, performance.now() - start, realPerformance.now() - realStart];
}

describe('a service that takes too long', () => {
	const options = { timeout: 1 };
	const timeout = /^127\.0\.0\.1:\d+ did not answer within 1 second$/;

	it.each<[name: string, fault: Fault]>([
		['never answers', { kind: 'hang' }],
		['never answers, after the work', { kind: 'hang', when: 'after' }],
		['answers later than the time-out', { kind: 'delay', ms: 2500, when: 'after' }],
		// Each piece arrives before the time-out of the connection, all of them would take a minute
		['sends its answer drop by drop', { kind: 'drip', ms: 300, bytes: 1 }],
	])('that %s is given up after the time-out', async (_name, fault) => {
		const [result, ms, realMs] = await took(withFault(fault, { options }));
		expectFailure(result, timeout, /'API Timeout \(Seconds\)' in 'Options'/);
		// On a busy machine, the real clock may be ahead
		expect(Math.max(ms, realMs)).toBeGreaterThan(950);
		expect(ms).toBeLessThan(2200);
		expect(bed().extractions).toHaveLength(1);
	});

	it('is waited for as long as the time-out allows', async () => {
		const { error, items } = await withFault(
			{ kind: 'delay', ms: 1200 },
			{ options: { timeout: 3 } },
		);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(5);
	});
});

describe('a connection that breaks', () => {
	const broken = /^The connection to 127\.0\.0\.1:\d+ was lost before the whole response arrived$/;

	it.each<[name: string, fault: Fault]>([
		['before the work', { kind: 'cut', when: 'before' }],
		['after the work', { kind: 'cut', when: 'after' }],
		['in the middle of the answer', { kind: 'halfBody', promise: 'full' }],
	])('%s is told as that', async (_name, fault) => {
		expectFailure(await withFault(fault), broken, /try again/i);
		// Nothing is changed by asking, so it asks twice more
		expect(bed().extractions).toHaveLength(3);
	});
});

describe('something between n8n and the service', () => {
	it.each([500, 502, 503, 504])('that answers %i is told with its status', async (status) => {
		const result = await withFault({ kind: 'status', status, body: 'upstream\r\nis down' });
		expectFailure(
			result,
			RegExp(`^Kuaidaili is unavailable right now \\(HTTP status ${status}\\)$`),
			/^Try again.*The response began with: upstream is down$/,
		);
		expect(result.error).toMatchObject({ httpCode: String(status) });
		expect(bed().extractions).toHaveLength(3);
	});

	it.each([400, 401, 403, 404])('that answers %i points to the hosts', async (status) => {
		const result = await withFault({ kind: 'status', status });
		expectFailure(result, RegExp(`HTTP status ${status}`), /hosts in the credential/);
		expect(bed().extractions).toHaveLength(1);
	});

	it.each([301, 302, 307, 308])('that redirects by %i is not followed', async (status) => {
		const target = await startScriptedService(() => listAnswer(addresses(0, 5)));
		const location = `${target.hosts.baseUrl}/api/getproxy?num=5`;
		const result = await withFault({ kind: 'status', status, location });
		await target.close();
		expectFailure(
			result,
			RegExp(`HTTP status ${status}\\), and this node does not follow redirects`),
		);
		expect(target.calls).toEqual([]);
		expect(bed().extractions).toHaveLength(1);
	});

	it.each([301, 302, 303, 307, 308])(
		'that redirects a request for a token by %i gets no Secret Key to another host',
		async (status) => {
			const target = await startScriptedService(() => listAnswer([]));
			const location = `${target.hosts.authUrl}${TOKENS}`;
			const fault = { kind: 'status', status, location, path: TOKENS } as const;
			const result = await withFault(fault, { credential: { signType: 'token' } });
			await target.close();
			expectFailure(
				result,
				RegExp(`HTTP status ${status}\\), and this node does not follow redirects`),
			);
			expect(target.calls).toEqual([]);
			expect(bed().sandbox.log.count(TOKENS)).toBe(1);
		},
	);

	it.each(['text', 'json', 'xml'])(
		'that answers with a page is told, in the format %s',
		async (format) => {
			const result = await withFault({ kind: 'html' }, { options: { format } });
			expectFailure(result, /^Kuaidaili's response/, /The response began with: <!DOCTYPE html>/);
		},
	);
});

describe('a service that cannot be reached', () => {
	it('because nobody listens is told', async () => {
		const credential = { svipUrl: 'http://localhost:1' };
		const result = await bed().extract({ credential });
		expectFailure(result, /^localhost:1 refused the connection$/, /hosts in the credential/);
	});

	it('because its name is not known is told', async () => {
		const credential = { svipUrl: 'https://does-not-exist.invalid' };
		const result = await bed().extract({ credential });
		expectFailure(result, /^The host does-not-exist\.invalid was not found$/, /DNS/);
	}, 20_000);

	it('because it speaks no TLS is told', async () => {
		const credential = { svipUrl: bed().sandbox.hosts.svipUrl.replace('http:', 'https:') };
		const result = await bed().extract({ credential });
		expectFailure(result, /^Could not establish a secure connection to 127\.0\.0\.1:\d+$/);
		expect(bed().extractions).toEqual([]);
	});
});
