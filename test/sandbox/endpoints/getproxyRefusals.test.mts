import { newOpenProxyOrder } from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';
import { ask, entries, type KeyName, PATH, sandbox } from './extractingOpen.mts';

describe('refusals', () => {
	it.each<[code: number, key: KeyName, parameters: Parameters]>([
		[-1, 'opsVip', {}],
		[-5, 'kps', { num: '1' }],
		[-6, 'dps', { num: '1' }],
		[-7, 'tps', { num: '1' }],
		[2, 'opsExpired', { num: '1' }],
		[-23, 'opsRegular', { num: '501' }],
		[-35, 'opsVip', { num: '1001' }],
		[-45, 'opsSvip', { num: '2001' }],
		[-24, 'opsRegular', { num: '1', sort: '1' }],
		[-24, 'opsRegular', { num: '1', sort: '2' }],
		[-25, 'opsRegular', { num: '1', f_loc: '1' }],
		[-25, 'opsRegular', { num: '1', f_an: '1' }],
		[-25, 'opsRegular', { num: '1', f_pr: '1' }],
		[-25, 'opsRegular', { num: '1', f_sp: '1' }],
		[-31, 'opsRegular', { num: '1', quality: '1' }],
		[-32, 'opsRegular', { num: '1', quality: '2' }],
		[-32, 'opsVip', { num: '1', quality: '2' }],
	])('%i for %s with %j', async (code, key, parameters) => {
		expect((await ask(parameters, key)).text).toMatch(new RegExp(`^ERROR\\(${code}\\): .`));
		expect(sandbox.log.last()).toMatchObject({ code, workDone: false });
	});

	it.each(['json', 'xml'])('-26 as text when a regular order asks for %s', async (format) => {
		expect((await ask({ num: '1', format }, 'opsRegular')).text).toMatch(/^ERROR\(-26\): ./);
	});

	it('the largest number of each plan is served', async () => {
		expect(await entries({ num: '500' }, 'opsRegular')).toHaveLength(500);
		expect(await entries({ num: '1000' }, 'opsVip')).toHaveLength(1000);
		expect(await entries({ num: '2000' }, 'opsSvip')).toHaveLength(2000);
	});

	it('-33 when an order that is not SVIP comes to the SVIP host', async () => {
		for (const key of ['opsRegular', 'opsVip'] as const) {
			const reply = await call(sandbox.hosts.svipUrl, PATH, sandbox.keys[key], { num: '1' });
			expect(reply.text).toMatch(/^ERROR\(-33\)/);
		}
	});

	it('an SVIP order is served on the base host with the limits of its plan', async () => {
		const { baseUrl } = sandbox.hosts;
		const reply = await call(baseUrl, PATH, sandbox.keys.opsSvip, { num: '2000', quality: '2' });
		expect(reply.text).not.toContain('ERROR');
	});

	it.each<Parameters>([
		{ num: '' },
		{ num: '0' },
		{ num: '-1' },
		{ num: '1.5' },
		{ num: '1e2' },
		{ num: 'many' },
		{ quality: '3' },
		{ port: '80,' },
		{ port: '70000' },
		{ port: 'http' },
		{ port_ex: '0' },
		{ area: '北京,,上海' },
		{ area_ex: ',' },
		{ carrier: '7' },
		{ carrier: 'x' },
		{ protocol: '0' },
		{ protocol: '3' },
		{ method: '3' },
		{ ipstart: '300.' },
		{ ipstart: '.127' },
		{ ipstart: '1.2.3.4.' },
		{ ipstart_ex: 'abc' },
		{ dedup: '0' },
		{ an_ha: '2' },
		{ an_an: 'true' },
		{ an_tr: '' },
		{ sort: '3' },
		{ f_loc: '0' },
		{ f_an: 'x' },
		{ f_pr: '2' },
		{ f_sp: '' },
		{ format: 'csv' },
		{ sep: '5' },
	])('-3 for %j', async (parameters) => {
		expect((await ask({ num: '1', ...parameters })).text).toMatch(/^ERROR\(-3\): ./);
	});

	it.each([
		[-11, 'WAIT_PAY'],
		[-12, 'OPENING'],
		[-12, 'OWING'],
		[-12, 'CLOSED'],
		[-14, 'FORBIDDEN'],
		[-16, 'REFUNDED'],
		[2, 'EXPIRED'],
	] as const)('%i when the order is %s', async (code, status) => {
		const order = sandbox.store.order(sandbox.keys.opsVip.secretId);
		order.status = status;
		const { text } = await ask({ num: '1' });
		order.status = 'VALID';
		expect(text).toMatch(new RegExp(`^ERROR\\(${code}\\)`));
	});

	it.each([2, -13, -15] as const)('%i when that is the code for an expired order', async (code) => {
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		const { keys } = sandbox.store.addOrder(
			newOpenProxyOrder(`expired${code}`, account, new Date(), {
				plan: 'VIP',
				expiresAt: new Date(Date.now() - 1),
				codeWhenExpired: code,
			}),
		);
		const reply = await call(sandbox.hosts.baseUrl, PATH, keys, { num: '1', format: 'json' });
		expect(reply.json.code).toBe(code);
	});

	it('an order expires when its time has come', async () => {
		expect((await ask({ num: '1' })).text).not.toContain('ERROR');
		sandbox.clock.advance(31 * 24 * 60 * 60 * 1000);
		expect((await ask({ num: '1' })).text).toMatch(/^ERROR\(2\)/);
	});
});
