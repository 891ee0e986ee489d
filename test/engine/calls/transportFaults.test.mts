import { gzipSync } from 'node:zlib';

import type { Fault } from '../../../sandbox/sandbox.mts';
import type { RunResult } from '../support/engine.mts';
import {
	addresses,
	listAnswer,
	startScriptedService,
	type ScriptedAnswer,
	type ScriptedCall,
} from '../support/scriptedService.mts';
import { useTestBed, type Extraction } from '../support/testBed.mts';

const bed = useTestBed();

async function withFault(fault: Fault, extraction: Extraction = {}): Promise<RunResult> {
	bed().sandbox.faults.add(fault);
	return await bed().extract({ num: 5, ...extraction });
}

/** The same against a server that answers what the test says. */
async function answered(
	answer: (call: ScriptedCall) => ScriptedAnswer,
	extraction: Extraction = {},
): Promise<RunResult & { calls: readonly ScriptedCall[] }> {
	const service = await startScriptedService(answer);
	const credential = { ...service.hosts, ...extraction.credential };
	const result = await bed().extract({ num: 5, ...extraction, credential });
	await service.close();
	return { ...result, calls: service.calls };
}

async function took<T>(work: Promise<T>): Promise<[result: T, ms: number]> {
	const start = performance.now();
	const result = await work;
	return [result, performance.now() - start];
}

function expectFailure(result: RunResult, message: RegExp, description = /./): void {
	expect(result.status).toBe('error');
	expect(result.items).toEqual([]);
	expect(result.error?.name).toBe('NodeApiError');
	expect(result.error?.message).toMatch(message);
	expect(result.error?.message).toMatch(/ \[item 0\]$/);
	expect(result.error?.description).toMatch(description);
}

describe('a service that takes too long', () => {
	const options = { timeout: 1 };
	const timeout = /^127\.0\.0\.1:\d+ did not answer within 1 second /;

	it.each<[name: string, fault: Fault]>([
		['never answers', { kind: 'hang' }],
		['never answers, after the work', { kind: 'hang', when: 'after' }],
		['answers later than the time-out', { kind: 'delay', ms: 2500, when: 'after' }],
		// Each piece arrives before the time-out of the connection, all of them would take a minute
		['sends its answer drop by drop', { kind: 'drip', ms: 300, bytes: 1 }],
	])('that %s is given up after the time-out', async (_name, fault) => {
		const [result, ms] = await took(withFault(fault, { options }));
		expectFailure(result, timeout, /'Timeout' in 'Options'/);
		expect(ms).toBeGreaterThan(950);
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
	const broken = /^The connection to 127\.0\.0\.1:\d+ was lost before the whole response arrived /;

	it.each<[name: string, fault: Fault]>([
		['before the work', { kind: 'cut', when: 'before' }],
		['after the work', { kind: 'cut', when: 'after' }],
		['in the middle of the answer', { kind: 'halfBody', promise: 'full' }],
	])('%s is told as that', async (_name, fault) => {
		expectFailure(await withFault(fault), broken, /try again/i);
		// Nothing is changed by asking, so it asks twice more
		expect(bed().extractions).toHaveLength(3);
	});

	it.each(['text', 'json', 'xml'])(
		'in the middle of an answer in the format %s gives no shorter list',
		async (format) => {
			expectFailure(
				await withFault({ kind: 'halfBody', promise: 'full' }, { num: 50, options: { format } }),
				broken,
			);
		},
	);
});

describe('half an answer that looks whole', () => {
	it.each([
		['json', 'is not valid JSON'],
		['xml', 'is not valid XML'],
	])('is an error in the format %s, and no shorter list', async (format, reason) => {
		const fault: Fault = { kind: 'halfBody', promise: 'half' };
		const result = await withFault(fault, { num: 50, options: { format } });
		expectFailure(
			result,
			RegExp(`^The service's response ${reason} `),
			/The response began with: [{<]/,
		);
	});
});

describe('something between n8n and the service', () => {
	it.each([500, 502, 503, 504])('that answers %i is told with its status', async (status) => {
		const result = await withFault({ kind: 'status', status, body: 'upstream\r\nis down' });
		expectFailure(
			result,
			RegExp(`^The service is unavailable right now \\(HTTP status ${status}\\) `),
			/^Try again.*The response began with: upstream is down$/,
		);
		expect(result.error).toMatchObject({ httpCode: String(status) });
		expect(bed().extractions).toHaveLength(status === 500 ? 1 : 3);
	});

	it.each([400, 401, 403, 404, 407])('that answers %i points to the hosts', async (status) => {
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

	it('that redirects within the host is not followed either', async () => {
		const location = `${bed().sandbox.hosts.svipUrl}/api/getproxy?num=5`;
		const result = await withFault({ kind: 'status', status: 302, location });
		expectFailure(result, /HTTP status 302/);
		expect(bed().extractions).toHaveLength(1);
	});

	it.each(['text', 'json', 'xml'])(
		'that answers with a page is told, in the format %s',
		async (format) => {
			const result = await withFault({ kind: 'html' }, { options: { format } });
			expectFailure(result, /^The service's response /, /The response began with: <!DOCTYPE html>/);
		},
	);
});

describe('an answer that is none', () => {
	it.each<[name: string, body: string, message: RegExp]>([
		['nothing', '', /is empty/],
		['white space', ' \r\n ', /is empty/],
		['a word', 'OK', /not a proxy address/],
		['a sentence', 'Service temporarily unavailable, try later', /not a proxy address/],
		['a number', '12345', /not a proxy address/],
		['a port that is none', '1.2.3.4:99999', /not a proxy address/],
		['JSON without a code', '{"msg":"","data":{"proxy_list":[]}}', /has no code/],
		['JSON with a code as a text', '{"code":"0","data":{"proxy_list":[]}}', /has no code/],
		['a JSON list', '["1.2.3.4:80"]', /has no code/],
		['cut JSON', '{"code":0,"data":{"proxy_list":["1.2.3.4:80"', /not valid JSON/],
		['JSON without a list', '{"code":0,"msg":"","data":{}}', /contains no list/],
		['JSON with empty data', '{"code":0,"msg":"","data":""}', /contains no list/],
		['JSON with null for data', '{"code":0,"msg":"","data":null}', /contains no list/],
		[
			'JSON with an object in the list',
			'{"code":0,"data":{"proxy_list":[{"ip":"1.2.3.4"}]}}',
			/not a proxy address/,
		],
		[
			'JSON with null in the list',
			'{"code":0,"data":{"proxy_list":[null]}}',
			/not a proxy address/,
		],
		['XML with another root', '<error><code>0</code></error>', /has no code/],
		['XML without a code', '<result><data/></result>', /has no code/],
		['cut XML', '<result><code>0</code><data><proxy_list><proxy>1.2.3.4:80', /not valid XML/],
		['XML without a list', '<result><code>0</code><data></data></result>', /contains no list/],
		['a failure that says success', 'ERROR(0): fine', /contradicts itself/],
		['bytes', '\u0000\u0001\ufffd', /is not in UTF-8/],
	])('%s is an error and no empty list', async (_name, body, message) => {
		const result = await withFault({ kind: 'raw', body });
		expectFailure(result, RegExp(`^The service's response .*${message.source}`));
		if (body.trim() !== '')
			expect(result.error?.description).toContain('The response began with: ');
		expect(bed().extractions).toHaveLength(1);
	});

	it('is shown by its first 200 characters, in one line', async () => {
		const result = await withFault({
			kind: 'raw',
			body: `{ no\r\nJSON\tat all ${'x'.repeat(5000)}`,
		});
		const [, shown] = /The response began with: (.*)$/s.exec(result.error?.description ?? '') ?? [];
		expect(shown).toMatch(/^\{ no JSON at all x+…$/);
		expect(shown).toHaveLength(201);
	});

	it('is none when JSON comes where a list was expected, and the other way round', async () => {
		const json = await withFault({ kind: 'raw', body: '1.2.3.4:80\r\n1.2.3.5:81\r\n' });
		expect(json.items.map((item) => item.json.address)).toEqual(['1.2.3.4:80', '1.2.3.5:81']);
		bed().sandbox.faults.clear();
		const { body } = listAnswer(['1.2.3.6:82']);
		const text = await withFault(
			{ kind: 'raw', body: String(body) },
			{ options: { format: 'text' } },
		);
		expect(text.items.map((item) => item.json.address)).toEqual(['1.2.3.6:82']);
	});
});

describe('an answer in another dress', () => {
	it('is read when it is compressed', async () => {
		const { body } = listAnswer(addresses(0, 5));
		const { items, calls, error } = await answered(() => ({
			headers: { 'content-encoding': 'gzip' },
			body: gzipSync(body),
		}));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.address)).toEqual(addresses(0, 5));
		expect(calls[0].headers['accept-encoding']).toContain('gzip');
	});

	it('is read as what it is, whatever type it is said to have', async () => {
		const { body } = listAnswer(addresses(0, 5));
		const { items } = await answered(() => ({ headers: { 'content-type': 'image/png' }, body }));
		expect(items).toHaveLength(5);
	});

	it('is read with a byte order mark and line ends around it', async () => {
		const { body } = listAnswer(addresses(0, 5));
		const { items } = await answered(() => ({ body: `\ufeff\r\n${String(body)}\r\n` }));
		expect(items).toHaveLength(5);
	});
});

describe('a service that cannot be reached', () => {
	it('because nobody listens is told', async () => {
		const credential = { svipUrl: 'http://localhost:1' };
		const result = await bed().extract({ credential });
		expectFailure(result, /^localhost:1 refused the connection /, /hosts in the credential/);
	});

	it('because its name is not known is told', async () => {
		const credential = { svipUrl: 'https://does-not-exist.invalid' };
		const result = await bed().extract({ credential });
		expectFailure(result, /^The host does-not-exist\.invalid was not found /, /DNS/);
	}, 20_000);

	it('because it speaks no TLS is told', async () => {
		const credential = { svipUrl: bed().sandbox.hosts.svipUrl.replace('http:', 'https:') };
		const result = await bed().extract({ credential });
		expectFailure(result, /^Could not establish a secure connection to 127\.0\.0\.1:\d+ /);
		expect(bed().extractions).toEqual([]);
	});
});

describe('an answer that repeats what was sent', () => {
	it('does not bring the token into the error', async () => {
		const { calls, error } = await answered(
			({ path, url }) =>
				path === '/api/get_secret_token'
					? { body: '{"code":0,"data":{"secret_token":"tok/en+with=marks","expire":3600}}' }
					: { status: 502, body: `<h1>502</h1> tok/en+with=marks for ${url}` },
			{ credential: { signType: 'token' } },
		);
		expect(calls).toHaveLength(4);
		expect(calls[1].parameters.signature).toBe('tok/en+with=marks');
		expect(error?.description).toContain('<h1>502</h1> [hidden] for');
		expect(error?.description).not.toMatch(/with(=|%3D)marks/i);
	});

	it('does not bring the Secret Key into the error', async () => {
		const { error } = await answered(
			({ parameters }) =>
				parameters.secret_key === undefined
					? { body: 'unexpected' }
					: { status: 500, body: `secret_key=${parameters.secret_key}` },
			{ credential: { signType: 'token', secretKey: 'the-secret/key' } },
		);
		expect(error?.message).toContain('HTTP status 500');
		// Nothing of an answer of the token endpoint is shown: it could be the token as well
		expect(error?.description).toBe('Try again in a few minutes.');
	});
});
