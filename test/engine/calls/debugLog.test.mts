import type { Fault, KeyPair } from '../../../sandbox/sandbox.mts';
import { World } from '../../operations/world.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, RENEW, WEEK } from '../support/customer.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { TOKENS, uniqueName, useTestBed, type Extraction } from '../support/testBed.mts';

const bed = useTestBed();

/** What runs leave in n8n's log at debug level. No secret of these key pairs may be in it, nor a signature. */
async function loggedBy(work: () => Promise<unknown>, keys: readonly KeyPair[]) {
	const log = jest.spyOn(n8nLogger, 'debug').mockReturnValue();
	await work();
	const texts: readonly string[] = log.mock.calls.map(([text]) => text);
	log.mockRestore();
	const all = texts.join();
	for (const { secretId, secretKey } of keys) {
		for (const secret of [secretId, secretKey]) expect(all).not.toContain(secret);
	}
	for (const { parameters } of bed().sandbox.log.entries()) {
		if (parameters.signature !== undefined) expect(all).not.toContain(parameters.signature);
	}
	return texts.filter((text) => text.startsWith('Kuaidaili '));
}

/** What an extraction leaves there. */
async function logged(faults: readonly Fault[], extraction: Extraction = {}) {
	const { keys } = bed().newOrder(extraction.plan === 'regular' ? 'regular' : 'svip');
	const credentialId = bed().addCredential(keys, extraction.credential);
	bed().sandbox.faults.add(...faults);
	const run = async () => {
		const { error } = await bed().extract({ credentialId, ...extraction });
		expect(error).toBeUndefined();
	};
	return await loggedBy(run, [keys]);
}

const ONCE = { times: 1 };

describe('at debug level, n8n logs', () => {
	it.each<[name: string, fault: Fault, line: RegExp]>([
		['"too fast"', { kind: 'code', code: -22 }, /in 0\.\d s\. .*too (often|fast)/i],
		[
			'a lost connection',
			{ kind: 'cut' },
			/in [12]\.\d s\. The connection to 127\.0\.0\.1:\d+ was/,
		],
		['HTTP status 502', { kind: 'status', status: 502 }, /in [12]\.\d s\. .*HTTP status 502/],
	])('why a call is repeated: %s', async (_name, fault, line) => {
		const texts = await logged([{ ...fault, ...ONCE }]);
		expect(texts[0]).toMatch(/^Kuaidaili \/api\/getproxy: another attempt /);
		expect(texts[0]).toMatch(line);
	});

	it('a call that is sent again without a pause', async () => {
		expect(await logged([{ kind: 'code', code: -112, ...ONCE }])).toEqual([
			expect.stringMatching(/^Kuaidaili \/api\/getproxy: another attempt at once\. /),
		]);
	});

	it('a wait of more than a second for the rate limit', async () => {
		const texts = await logged([], { plan: 'regular', items: [{}, {}, {}] });
		expect(texts).toEqual([
			'Kuaidaili /api/getproxy: a wait of 5.3 s for its turn',
			'Kuaidaili /api/getproxy: a wait of 5.3 s for its turn',
		]);
	});

	it('a wait for the token host', async () => {
		const code = { kind: 'code', code: -107, path: '/api/getproxy', ...ONCE } as const;
		const texts = await logged([code], { credential: { signType: 'token' } });
		expect(texts).toEqual([
			expect.stringMatching(/^Kuaidaili \/api\/getproxy: another attempt at once\. .*token/),
			`Kuaidaili ${TOKENS}: a wait of 1.1 s for its turn`,
		]);
	});

	it('nothing about calls that need no wait', async () => {
		expect(await logged([], { items: [{}, {}, {}] })).toEqual([]);
	});
});

describe('at debug level, n8n logs the wait', () => {
	it.each([
		['add', '/api/addwhiteip'],
		['replace', '/api/setipwhitelist'],
		['remove', '/api/delwhiteip'],
		['keepOwnIp', '/api/addwhiteip'],
	])('until a change of the whitelist is in effect: %s', async (operation, path) => {
		const { keys } = new World(bed().sandbox, 'order', 'dps');
		const parameters = { resource: 'whitelist', operation, iplist: '123.35.67.46' };
		const run = async () =>
			await bed().engine.run({
				credentialId: bed().addCredential(keys),
				parameters: { ...parameters, waitUntilInEffect: true },
			});
		expect(await loggedBy(run, [keys])).toEqual([
			`Kuaidaili ${path}: a wait of 65.0 s until the change is in effect`,
		]);
	});

	it('until an earlier change of the whitelist is in effect', async () => {
		const { keys } = new World(bed().sandbox, 'order', 'dps');
		const path = '/api/setipwhitelist';
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path, ...ONCE });
		const run = async () =>
			await bed().engine.run({
				credentialId: bed().addCredential(keys),
				parameters: { resource: 'whitelist', operation: 'replace', iplist: '123.35.67.46' },
			});
		expect(await loggedBy(run, [keys])).toEqual([
			expect.stringMatching(
				/^Kuaidaili \/api\/setipwhitelist: another attempt in 15\.0 s\. .*still applying/,
			),
		]);
	});

	it.each(['hmacsha1', 'token'])(
		'for what a renewal without an answer did, with sign type %s',
		async (signType) => {
			const customer = new Customer(bed());
			const order = customer.tunnel(DAY);
			bed().sandbox.faults.add({ kind: 'cut', when: 'before', path: RENEW, ...ONCE });
			const run = async () => await customer.renew(order, WEEK, { credential: { signType } });
			const texts = await loggedBy(run, [order.keys, customer.account.keys]);
			expect(texts).toContain(
				`Kuaidaili ${RENEW}: a wait of 2.0 s until Kuaidaili shows what a request did`,
			);
		},
	);

	it('for what a refused renewal did that is sent again', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: RENEW, ...ONCE });
		const texts = await loggedBy(async () => await customer.renew(order, WEEK), [order.keys]);
		expect(texts[0]).toMatch(/^Kuaidaili \/api\/reneworder: another attempt in [12]\.\d s\. /);
		expect(texts).toContainEqual(
			`Kuaidaili ${RENEW}: a wait of 2.0 s until Kuaidaili shows what a request did`,
		);
		expect(customer.paid).toBe(1);
	});

	it('for another renewal of the same order', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: RENEW, ...ONCE });
		const renew = async () => await customer.renew(order, WEEK);
		const texts = await loggedBy(async () => await Promise.all([renew(), renew()]), [order.keys]);
		expect(texts).toContainEqual(
			expect.stringMatching(
				/reneworder: a wait of \d\.\d s for another purchase of the same order or kind$/,
			),
		);
		expect(customer.paid).toBe(1);
	});

	it('for what another purchase costs', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: CREATE, ...ONCE });
		const fields = { options: { maxCostPerRun: 1_000_000 } };
		const buy = async (kind = {}) =>
			await customer.buy({ ...fields, ...kind }, { settings: { id: uniqueName('node') } });
		const other = { payType: 'POST_PAY' };
		const texts = await loggedBy(
			async () => await Promise.all([buy(), buy(other)]),
			[customer.account.keys],
		);
		expect(texts).toContainEqual(
			expect.stringMatching(/createorder: a wait of \d\.\d s for what another purchase costs$/),
		);
		expect(customer.paid).toBe(2);
	});

	it('of a second click for the first one', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'delay', ms: 5000, path: CREATE, ...ONCE });
		const settings = { id: uniqueName('node') };
		const click = async () =>
			await customer.buy({}, { settings, executionId: uniqueName('execution') });
		const clicks = async () =>
			await Promise.all([click(), customer.asked(CREATE).then(async () => await click())]);
		const texts = await loggedBy(clicks, [customer.account.keys]);
		expect(texts).toContainEqual(
			expect.stringMatching(
				/createorder: a wait of \d\.\d s for another purchase of the same order or kind$/,
			),
		);
		expect(customer.paid).toBe(1);
	});
});
