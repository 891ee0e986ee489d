import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, post, signed, type Parameters } from '../client.mts';

interface Query {
	path: string;
	host: keyof Sandbox['hosts'];
	keys: ReadonlyArray<keyof Sandbox['keys']>;
	/** That work. */
	parameters: Parameters;
	/** 1 by default. */
	callsPerSecond?: number;
}

/** What holds for each ordinary endpoint: who may ask, how often, and where. */
export function keepsTheCommonRules({
	path,
	host,
	keys,
	parameters,
	callsPerSecond = 1,
}: Query): void {
	describe('as everywhere', () => {
		let sandbox: Sandbox;

		// Long enough an interval that the next call surely is too early, whatever the machine does.
		const scale = 20 * callsPerSecond;

		beforeEach(async () => {
			sandbox = await startSandbox({
				forwardProxies: false,
				catalogueSize: 10,
				rateLimits: { scale },
			});
		});

		afterEach(() => sandbox.close());

		const ask = async (key: keyof Sandbox['keys']) =>
			(await call(sandbox.hosts[host], path, sandbox.keys[key], parameters)).json;

		it.each(keys)(`the key %s may ask ${callsPerSecond} times per second`, async (key) => {
			const measured = jest.spyOn(sandbox.limits, 'refusal');
			expect((await ask(key)).code).toBe(0);
			expect(measured.mock.lastCall?.[1]).toEqual([
				{ intervalMs: 1000 / callsPerSecond, code: -120 },
			]);
			expect(await ask(key)).toMatchObject({ code: -120, data: '' });
			expect(sandbox.log.last()).toMatchObject({ refusedByRateLimit: true, workDone: false });
		});

		it('by POST, and with a token', async () => {
			sandbox.limits.settings.on = false;
			for (const key of keys) {
				const { secretId, secretKey } = sandbox.keys[key];
				const form = signed(sandbox.keys[key], 'POST', path, parameters);
				expect((await post(sandbox.hosts[host] + path, form)).json.code).toBe(0);

				const { value } = sandbox.tokens.obtain(secretId);
				const byToken = { ...parameters, secret_id: secretId, signature: value };
				expect((await post(sandbox.hosts[host] + path, byToken)).json.code).toBe(0);
				const bare = { ...byToken, signature: secretKey };
				expect((await post(sandbox.hosts[host] + path, bare)).json.code).toBe(-122);
			}
		});

		it('-104 with a wrong signature, whatever the parameters are', async () => {
			for (const key of keys) {
				const wrong = { ...sandbox.keys[key], secretKey: 'wrong' };
				const reply = await call(sandbox.hosts[host], path, wrong, { ...parameters, odd: '1' });
				expect(reply.json).toMatchObject({ code: -104, data: '' });
			}
		});

		it('-102 with an order that is over', async () => {
			for (const key of keys.filter((each) => each !== 'account')) {
				sandbox.store.order(sandbox.keys[key].secretId).status = 'EXPIRED';
				expect((await ask(key)).code).toBe(-102);
			}
			expect((await ask('opsExpired')).code).toBe(-102);
		});

		it('is on no other host', async () => {
			for (const [name, url] of Object.entries(sandbox.hosts)) {
				if (name === host) continue;
				for (const key of keys) {
					expect((await call(url, path, sandbox.keys[key], parameters)).status).toBe(404);
				}
			}
		});
	});
}
