import type { IDataObject } from 'n8n-workflow';

import { envelope, hangUp, sell } from '../support/brokenService.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';
import { engine, openShop, UNCLEAR } from './guardedShop.mts';

describe('Broken answers', () => {
	const TOKEN = 'oxf0n0g59h7wcdyvz2uo68ph2s';
	it.each([
		['is cut', `{"code": 0, "msg": "success", "data": {"secret_token": "${TOKEN}", "exp`],
		['has a text for a code', envelope(0, '', { secret_token: TOKEN }).replace(':0,', ':"0",')],
		['is plain text', `secret_token=${TOKEN}`],
	])('of the token endpoint show no token: one that %s', async (_name, body) => {
		const { service, credential, buy } = await openShop('token', sell, (response) => {
			response.end(body);
		});
		// Purchases are signed, and what they depend on is read with the token
		const parameters = { ...NEW_TUNNEL, createWhen: 'fewerThan', fewerThan: 1 };
		const { error, saved } = await buy({ parameters });
		expect(service.orders).toEqual([]);
		expect(error).toBeDefined();
		expect(`${error?.message} ${error?.description} ${saved}`).not.toContain(TOKEN);
		const { status, message } = await engine.testCredential(credential);
		expect(status).toBe('Error');
		expect(message).not.toContain(TOKEN);
	});

	it('that are plain text are no success for the test of a credential', async () => {
		const { credential } = await openShop('hmacsha1', (response) => {
			response.end('Please log in to the hotel network');
		});
		expect(await engine.testCredential(credential)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('hotel network'),
		});
	});

	it.each([
		['the beginning of a cut answer', '{"code":0,"msg":"","data":{"orderid":"965102959536478"'],
		['what the service says with -109', envelope(-109, '系统故障,请联系客服 965102959536478')],
	])('show %s for an unclear purchase', async (_name, body) => {
		const { service, buy } = await openShop('hmacsha1', (response) => {
			response.end(body);
		});
		const { error } = await buy();
		expect(service.orders).toHaveLength(1);
		expect(error?.message).toMatch(UNCLEAR);
		expect(error?.description).toContain('965102959536478');
	});
});

it('An unclear purchase names the time at which it left, not that at which it joined the line', async () => {
	const { service, buy } = await openShop('hmacsha1', (response, call) =>
		(call.index < 2 ? sell : hangUp)(response, call),
	);
	const joined = Date.now();
	const results = await Promise.all([buy(), buy(), buy()]);
	const { description } = results.find(({ error }) => error !== undefined)?.error ?? {};
	const [, day, time] = / at .*; (\S+) (\S+) in China\)/.exec(description ?? '') ?? [];
	const leftAt = Date.parse(`${day}T${time}+08:00`);
	expect(service.orders).toHaveLength(3);
	// The pace lets one purchase per second leave, so this one left two seconds later, told without milliseconds;
	// a timer may be a little early
	expect(leftAt - joined).toBeGreaterThan(950);
	expect(leftAt).toBeLessThanOrEqual(service.orders[2].arrival);
});

describe('Skip Local Checks', () => {
	async function send(parameters: IDataObject) {
		const { service, buy } = await openShop('hmacsha1', sell);
		const { error } = await buy({
			parameters: {
				resource: 'order',
				operation: 'create',
				...parameters,
				options: { skipLocalChecks: true },
			},
		});
		return { orders: service.orders, error };
	}

	it.each([
		[
			'a model of an exclusive proxy',
			{
				product: 'KPS',
				payType: 'PRE_PAY',
				kpsSerie: 1,
				kpsModel: '={{ "STD" }}',
				kpsMaxBandwidth: 10,
				kpsIpCount: 3,
				prepayTimeType: 'MONTH',
			},
			{ 'kps.model': 'STD', 'kps.max_bandwidth': '10', 'kps.ip_count': '3' },
		],
		[
			'a period of a tunnel',
			{
				product: 'TPS',
				payType: 'PRE_PAY',
				tpsPeriod: '={{ 1200 }}',
				tpsMaxRps: 50,
				tpsMaxBandwidth: 5,
				prepayTimeType: 'MONTH',
			},
			{ 'tps.period': '1200', 'tps.max_rps': '50', 'tps.max_bandwidth': '5' },
		],
		[
			'a lifetime of a private proxy',
			{ product: 'DPS', payType: 'PRE_PAY_IP', dpsPeriod: '={{ "H_6_12" }}', dpsIpCount: 4000 },
			{ 'dps.period': 'H_6_12', 'dps.ip_count': '4000' },
		],
		[
			'a unit of time',
			{
				product: 'TPS',
				payType: 'PRE_PAY',
				prepayTimeType: '={{ "QUARTER" }}',
				prepayTimeNumber: 2,
			},
			{ 'prepay.time_type': 'QUARTER', 'prepay.time_number': '2' },
		],
	])('sends what was entered for %s that the node does not know', async (_name, fields, sent) => {
		const { orders, error } = await send(fields);
		expect(error).toBeUndefined();
		expect(orders).toHaveLength(1);
		expect(orders[0].parameters).toMatchObject(sent);
	});

	it('refuses a product that the node does not know, before any request', async () => {
		const { orders, error } = await send({
			product: '={{ "TPS_PRO" }}',
			payType: 'PRE_PAY',
			tpsPeriod: 60,
			prepayTimeType: 'YEAR',
		});
		expect(orders).toEqual([]);
		expect(error?.message).toContain('TPS_PRO');
	});
});
