import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { post, type Parameters } from '../client.mts';
import {
	askAs,
	codeOf,
	entriesOf,
	productOrder,
	startExtraction,
	type Asking,
	type KeyName,
} from '../extracting.mts';
import { EVERY_KEY, SEPARATORS, STATES, WRONG } from './extractionCases.mts';

interface ExtractionCase {
	path: string;
	host: keyof Sandbox['hosts'];
	/** The first one is the usual order. */
	keys: readonly [KeyName, ...KeyName[]];
	/** That work. */
	parameters: Parameters;
	/** How many entries they bring. */
	entries: number;
	/** What an entry looks like. */
	form: RegExp;
}

/** What holds for the extraction of every product but open proxies. */
export function keepsTheExtractionRules(settings: ExtractionCase): void {
	const { path, host, keys, parameters, entries, form } = settings;
	const [key] = keys;

	describe('as with every extraction', () => {
		let sandbox: Sandbox;
		let at: Asking;

		beforeEach(async () => {
			sandbox = await startExtraction();
			at = { sandbox, host, path };
		});

		afterEach(() => sandbox.close());

		const ask = (further: Parameters = {}, name: KeyName = key) =>
			askAs(sandbox.keys[name], at, { ...parameters, ...further });

		it.each(SEPARATORS)('text with the separator %s, and none at the end', async (sep, between) => {
			const { text, headers } = await ask({ sep, format: 'text' });
			expect(headers.get('content-type')).toContain('text/plain');
			const parts = text.split(between);
			expect(parts).toHaveLength(entries);
			for (const part of parts) expect(part).toMatch(form);
		});

		it('text with CRLF is the default', async () => {
			expect(entriesOf(await ask())).toHaveLength(entries);
		});

		it('JSON', async () => {
			const { json, headers } = await ask({ format: 'json' });
			expect(headers.get('content-type')).toContain('application/json');
			expect(json).toMatchObject({ code: 0, msg: '', data: { count: entries } });
			const list: unknown = Object(json.data).proxy_list;
			expect(list).toEqual(Array(entries).fill(expect.stringMatching(form)));
		});

		it('XML', async () => {
			const { text, headers } = await ask({ format: 'xml' });
			expect(headers.get('content-type')).toContain('xml');
			expect(text).toContain(`<data>\n<count>${entries}</count>\n<proxy_list>\n<proxy>`);
			const found = [...text.matchAll(/<proxy>(.*)<\/proxy>/g)].map(([, entry]) => entry);
			expect(found).toEqual(Array(entries).fill(expect.stringMatching(form)));
		});

		it('a failure comes in the format that was asked for', async () => {
			productOrder(sandbox, key).status = 'FORBIDDEN';
			expect((await ask()).text).toMatch(/^ERROR\(-14\): .+$/);
			const failure = { code: -14, msg: expect.stringMatching(/./), data: '' };
			expect((await ask({ format: 'json' })).json).toEqual(failure);
			expect((await ask({ format: 'xml' })).text).toMatch(
				/<code>-14<\/code>\n<msg>.+<\/msg>\n<data><\/data>/,
			);
		});

		it('every order of the product may ask', async () => {
			for (const name of keys) expect((await ask({}, name)).text).toMatch(form);
		});

		it('-5: the order of another product, and the pseudo-order of a top-up', async () => {
			for (const name of EVERY_KEY.filter((each) => !keys.includes(each))) {
				expect([name, codeOf(await ask({}, name))]).toEqual([name, -5]);
			}
		});

		it('the key of the account: -102 with a signature, -123 with a token, or one for both', async () => {
			const { account } = sandbox.keys;
			const { value } = sandbox.tokens.obtain(account.secretId);
			const byToken = { ...parameters, secret_id: account.secretId, signature: value };
			const codes = async () => [
				codeOf(await ask({}, 'account')),
				codeOf(await post(sandbox.hosts[host] + path, byToken)),
			];
			expect(await codes()).toEqual([-102, -123]);
			sandbox.settings.wrongKeyCode = 'common';
			expect(await codes()).toEqual([-123, -123]);
			sandbox.settings.wrongKeyCode = 'endpoint';
			expect(await codes()).toEqual([-102, -102]);
		});

		it.each(STATES)('an order that is %s: %i', async (status, code) => {
			productOrder(sandbox, key).status = status;
			expect(codeOf(await ask())).toBe(code);
			expect(sandbox.extractions.entries()).toEqual([]);
		});

		it.each([2, -13, -15, -102] as const)('an order whose time is over: %i', async (code) => {
			sandbox.settings.expiredOrderCode = code;
			productOrder(sandbox, key).expiresAt = new Date(sandbox.clock.milliseconds() - 1000);
			expect(codeOf(await ask())).toBe(code);
		});

		it('4: the name behind the account is not verified', async () => {
			productOrder(sandbox, key).account.realNameVerified = false;
			expect(codeOf(await ask())).toBe(4);
		});

		it('-2: a new order, until it is ready', async () => {
			sandbox.settings.newOrdersWaitSeconds = 60;
			expect((await ask()).text).toMatch(form);
			productOrder(sandbox, key).createdAt = sandbox.clock.now();
			expect(codeOf(await ask())).toBe(-2);
			sandbox.clock.advance(59_000);
			expect(codeOf(await ask())).toBe(-2);
			sandbox.clock.advance(1000);
			expect((await ask()).text).toMatch(form);
		});

		it('-51: more addresses call within a minute than the order allows', async () => {
			productOrder(sandbox, key).callersPerMinute = 2;
			const from = async (clientAddress: string) => {
				sandbox.settings.clientAddress = clientAddress;
				const reply = await ask();
				return form.test(reply.text) ? 0 : codeOf(reply);
			};
			// However often the same two call, that is allowed.
			for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.2']) {
				expect(await from(address)).toBe(0);
			}
			expect(await from('10.0.0.3')).toBe(-51);
			expect(sandbox.log.last()?.refusedByRateLimit).toBe(false);
			expect(await from('10.0.0.1')).toBe(0);
			sandbox.clock.advance(59_000);
			expect(await from('10.0.0.1')).toBe(0);
			sandbox.clock.advance(2000);
			expect(await from('10.0.0.3')).toBe(0);
			expect(await from('10.0.0.2')).toBe(-51);
		});

		it('-3: a format or separator that there is not, and a parameter that has no effect', async () => {
			for (const [name, value] of WRONG) {
				expect([name, value, codeOf(await ask({ [name]: value }))]).toEqual([name, value, -3]);
			}
			expect(sandbox.extractions.count()).toBe(0);
			sandbox.settings.inapplicableParameters = 'ignore';
			expect((await ask({ x: '1' })).text).toMatch(form);
		});

		it('is written down, with what was answered', async () => {
			await ask();
			const order = productOrder(sandbox, key);
			expect(sandbox.extractions.entries()).toEqual([
				expect.objectContaining({
					path,
					orderId: order.orderId,
					product: order.product,
					count: entries,
					secretId: order.keys.secretId,
					request: sandbox.log.last()?.number,
				}),
			]);
		});

		it.each([
			[{ kind: 'cut', when: 'after' }, 1],
			[{ kind: 'cut', when: 'before' }, 0],
			[{ kind: 'status', status: 502, when: 'after' }, 1],
			[{ kind: 'status', status: 502, when: 'before' }, 0],
			[{ kind: 'halfBody', promise: 'full' }, 1],
			[{ kind: 'code', code: -109, when: 'after' }, 1],
		] as const)('is written down when the answer is lost: %j', async (fault, calls) => {
			sandbox.faults.add(fault);
			await ask().catch(() => undefined);
			expect(sandbox.extractions.count({ path })).toBe(calls);
			expect(sandbox.extractions.total({ path })).toBe(calls * entries);
		});
	});
}
