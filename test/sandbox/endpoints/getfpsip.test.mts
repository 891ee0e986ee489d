import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, entriesOf, startExtraction } from '../extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';

const PATH = '/api/getfpsip';
const USUAL = { num: '3', period: '5' };

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

const ask = (parameters: Parameters) =>
	askAs(sandbox.keys.fps, { sandbox, host: 'fpsUrl', path: PATH }, parameters);

const proxies = async (parameters: Parameters) =>
	entriesOf(await ask(parameters)).map((place) => {
		const proxy = sandbox.orderProxies.find(place);
		if (!proxy) throw new Error(`"${place}" belongs to no order`);
		return proxy;
	});

keepsTheExtractionRules({
	path: PATH,
	host: 'fpsUrl',
	keys: ['fps', 'fpsMonthly'],
	parameters: USUAL,
	entries: 3,
	form: /127(\.\d+){3}:\d{5}/,
});

it('different addresses, new ones with every call', async () => {
	const first = entriesOf(await ask({ num: '200', period: '1' }));
	const later = entriesOf(await ask({ num: '200', period: '1' }));
	expect(new Set([...first, ...later]).size).toBe(400);
});

it.each([1, 30])('live %i minutes by the clock of the sandbox', async (minutes) => {
	sandbox.clock.set(new Date('2026-05-05T05:05:05Z'));
	for (const { expiresAt } of await proxies({ num: '3', period: String(minutes) })) {
		const life = Number(expiresAt) - Date.parse('2026-05-05T05:05:05Z');
		expect(Math.abs(life / 60_000 - minutes)).toBeLessThan(0.2);
	}
});

it('are in the countries that are named, or in any', async () => {
	const countries = async (parameters: Parameters) =>
		new Set((await proxies({ num: '100', period: '5', ...parameters })).map(({ area }) => area));
	expect(await countries({ region: 'JP' })).toEqual(new Set(['JP']));
	expect(await countries({ region: 'US,IN' })).toEqual(new Set(['US', 'IN']));
	expect(await countries({ region: 'US,XX' })).toEqual(new Set(['US']));
	expect((await countries({})).size).toBeGreaterThan(20);
	expect((await countries({ region: '' })).size).toBeGreaterThan(20);
});

describe('the login', () => {
	const LOGIN = 'sandbox-order-fps-proxy-username:sandbox-order-fps-proxy-password';
	const AT = String.raw`127[\d.]+:\d{5}`;

	it.each([
		[{ f_auth: '1' }, `^${AT}:${LOGIN}$`],
		[{ f_auth: '1', gt: '1' }, `^${AT}:${LOGIN}$`],
		[{ f_auth: '1', gt: '2' }, `^${AT}@${LOGIN}$`],
		[{ f_auth: '1', gt: '3' }, `^${LOGIN}:${AT}$`],
		[{ f_auth: '1', gt: '4' }, `^${LOGIN}@${AT}$`],
		[{ f_auth: '1', ut: '1' }, `^${AT}:${LOGIN}$`],
		[{ ut: '2', f_ip: '203.0.113.7' }, `^${AT}$`],
		[{ ut: '1', f_ip: '203.0.113.7' }, `^${AT}$`],
	] as const)('%j', async (parameters, form) => {
		for (const entry of entriesOf(await ask({ ...USUAL, ...parameters }))) {
			expect(entry).toMatch(RegExp(form));
		}
	});
});
