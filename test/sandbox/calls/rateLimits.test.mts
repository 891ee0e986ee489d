import { perMinute, perSecond, RateLimits } from '../../../sandbox/limits/rateLimits.mts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { call, post } from '../client.mts';

const SETTINGS = { on: true, scale: 1, toleranceMs: 1 };
const PROXIES = '/api/getproxy';

const newLimits = () => new RateLimits(SETTINGS);

describe('the measuring', () => {
	const rules = [perSecond(1)];

	it('refuses what comes before the interval is over, to the millisecond', () => {
		const limits = newLimits();
		expect(limits.refusal('a', rules, 5000)).toBeUndefined();
		expect(limits.refusal('a', rules, 5998.9)).toBe(-120);
		expect(limits.refusal('a', rules, 5999)).toBeUndefined();
	});

	it('counts from the last accepted call, not from a refused one', () => {
		const limits = newLimits();
		limits.refusal('a', rules, 0);
		expect(limits.refusal('a', rules, 900)).toBe(-120);
		expect(limits.refusal('a', rules, 1000)).toBeUndefined();
		expect(limits.refusal('a', rules, 1900)).toBe(-120);
	});

	it('keeps subjects apart', () => {
		const limits = newLimits();
		limits.refusal('a', rules, 0);
		expect(limits.refusal('b', rules, 0)).toBeUndefined();
	});

	it('counts a call for no rule when it breaks one', () => {
		const limits = newLimits();
		const both = [{ name: 'slow', intervalMs: 5000, code: -21 }, perSecond(1)];
		limits.refusal('a', both, 0);
		expect(limits.refusal('a', both, 2000)).toBe(-21);
		expect(limits.refusal('a', rules, 2001)).toBeUndefined();
	});

	it('counts calls of any pace within an interval that allows several', () => {
		const limits = newLimits();
		const perMinuteRules = [perMinute(3)];
		for (const arrival of [0, 1, 30_000]) {
			expect(limits.refusal('a', perMinuteRules, arrival)).toBeUndefined();
		}
		expect(limits.refusal('a', perMinuteRules, 59_998)).toBe(-120);
		expect(limits.refusal('a', perMinuteRules, 60_000)).toBeUndefined();
		expect(limits.refusal('a', perMinuteRules, 60_001)).toBeUndefined();
		expect(limits.refusal('a', perMinuteRules, 60_002)).toBe(-120);
		expect(limits.refusal('a', perMinuteRules, 90_000)).toBeUndefined();
	});
});

describe('over HTTP', () => {
	let sandbox: Sandbox;

	// Intervals are long enough here that the next call surely is too early, whatever the machine does.
	beforeEach(async () => {
		sandbox = await startSandbox({ forwardProxies: false, rateLimits: { scale: 20 } });
	});

	afterEach(() => sandbox.close());

	it('each key and each endpoint has a pace of its own', async () => {
		const { opsVip, opsRegular } = sandbox.keys;
		await call(sandbox.hosts.baseUrl, PROXIES, opsVip, { num: '1' });
		await call(sandbox.hosts.baseUrl, PROXIES, opsRegular, { num: '1' });
		await call(sandbox.hosts.baseUrl, '/api/getorderexpiretime', opsVip);
		expect(sandbox.log.refusals()).toEqual([]);
		expect(sandbox.log.entries().map(({ code }) => code)).toEqual([0, 0, 0]);
	});

	it('-21: with dedup the code is another one, and the format is kept', async () => {
		const ask = () =>
			call(sandbox.hosts.baseUrl, PROXIES, sandbox.keys.opsVip, {
				num: '1',
				dedup: '1',
				format: 'json',
			});
		expect((await ask()).json.code).toBe(0);
		expect((await ask()).json.code).toBe(-21);
	});

	it('the token endpoint has its own', async () => {
		const { secretId, secretKey } = sandbox.keys.opsVip;
		const ask = async () =>
			await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, {
				secret_id: secretId,
				secret_key: secretKey,
			});
		expect((await ask()).json.code).toBe(0);
		expect((await ask()).json.code).toBe(-120);
	});

	it('a call that is not believed does not count', async () => {
		const { opsVip } = sandbox.keys;
		const wrong = { ...opsVip, secretKey: 'wrong' };
		expect((await call(sandbox.hosts.baseUrl, PROXIES, wrong, { num: '1' })).json.code).toBe(-104);
		await call(sandbox.hosts.baseUrl, PROXIES, opsVip, { num: '1' });
		expect(sandbox.log.refusals()).toEqual([]);
	});
});
