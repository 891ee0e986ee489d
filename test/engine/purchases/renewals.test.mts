import type { IDataObject } from 'n8n-workflow';

import {
	newOverseasProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type KeyPair,
} from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { credentialFor, engine, newRichAccount, sandbox } from './purchaseBed.mts';

describe('Order: Renew', () => {
	async function renew(order: { keys: KeyPair }, parameters: IDataObject) {
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'order', operation: 'renew', renewWhen: 'always', ...parameters },
		});
		const requests = sandbox.log
			.entries('/api/reneworder')
			.filter((each) => each.parameters.secret_id === order.keys.secretId);
		return { result, requests };
	}

	function newTunnel() {
		const account = newRichAccount();
		return sandbox.store.addOrder(
			newTunnelProxyOrder(uniqueName('purchases'), account, sandbox.clock.now()),
		);
	}

	function newOverseas() {
		const account = newRichAccount();
		return sandbox.store.addOrder(
			newOverseasProxyOrder(uniqueName('purchases'), account, sandbox.clock.now(), {
				flowInGb: 1,
			}),
		);
	}

	it('renews a prepaid order, and gives its expiry for n8n as well', async () => {
		const order = newTunnel();
		const { result, requests } = await renew(order, { timeType: 'WEEK', timeNumber: 2 });
		expect(requests[0].parameters).toMatchObject({ time_type: 'WEEK', time_number: '2' });
		// What is not chosen stays as it is
		expect(requests[0].parameters).not.toHaveProperty('is_auto_renew');
		const [{ json }] = result.items;
		expect(json.orderid).toBe(order.orderId);
		expect(json.expiresAt).toBe(`${String(json.expire_time).replace(' ', 'T')}+08:00`);
		expect(Date.parse(String(json.expiresAt))).toBe(
			Math.floor((order.expiresAt?.getTime() ?? 0) / 1000) * 1000,
		);
	});

	it('adds IPs to a pay-per-IP order', async () => {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newPrivateProxyOrder(uniqueName('purchases'), account, sandbox.clock.now(), {
				payType: 'PRE_PAY_IP',
			}),
		);
		const { result, requests } = await renew(order, { renewalOf: 'perIp', dpsIpCount: 3000 });
		expect(requests[0].parameters['dps.ip_count']).toBe('3000');
		expect(requests[0].parameters).not.toHaveProperty('time_type');
		expect(result.items[0].json.ip_balance).toEqual(expect.any(Number));
	});

	it.each([
		['minutes', 1500],
		['minutes', 1_001_000],
		['hours', 150],
		['hours', 100_100],
	])('checks the number of IPs by lifetime: %s, %i', async (proxyLifetime, dpsIpCount) => {
		const order = newTunnel();
		const { result, requests } = await renew(order, {
			renewalOf: 'perIp',
			proxyLifetime,
			dpsIpCount,
		});
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain(`'Number of IPs' can't be ${dpsIpCount}`);
	});

	it('refuses traffic that is not sold', async () => {
		const { result, requests } = await renew(newTunnel(), { renewalOf: 'traffic', fpsFlow: 2 });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("'Traffic' can't be 2");
	});

	it.each([1, 6, 10, 35, 110, 200, 500, 1000])('sends %i GB of traffic', async (fpsFlow) => {
		const { requests } = await renew(newOverseas(), { renewalOf: 'traffic', fpsFlow });
		expect(requests[0].parameters['fps.flow']).toBe(String(fpsFlow));
	});
});

describe('Auto-Renewal', () => {
	async function set(operation: string, parameters: IDataObject = {}) {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder(uniqueName('purchases'), account, sandbox.clock.now()),
		);
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'autoRenewal', operation, ...parameters },
		});
		return { order, result, request: sandbox.log.last('/api/setautorenew') };
	}

	it.each(['DAY', 'WEEK', 'MONTH', 'YEAR'])('is enabled by %s', async (timeType) => {
		const { result, request } = await set('enable', { timeType });
		expect(request?.parameters).toMatchObject({ autorenew: '1', time_type: timeType });
		expect(result.items[0].json).toEqual({
			enabled: true,
			unit: timeType,
			message: `autorenew by ${timeType.toLowerCase()} enabled`,
		});
	});

	it('is disabled with a 0 that is really sent', async () => {
		const { result, request } = await set('disable');
		expect(request?.parameters.autorenew).toBe('0');
		expect(request?.parameters).not.toHaveProperty('time_type');
		expect(result.items[0].json).toEqual({ enabled: false, message: 'autorenew disabled' });
	});

	it('refuses an unknown unit before any request', async () => {
		sandbox.log.clear();
		const { result } = await set('enable', { timeType: 'HOUR' });
		expect(sandbox.log.count('/api/setautorenew')).toBe(0);
		expect(result.error?.message).toContain(`'Time Unit' can't be "HOUR"`);
	});

	it('tells that an order cannot renew itself', async () => {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder(uniqueName('purchases'), account, sandbox.clock.now(), {
				payType: 'POST_PAY',
			}),
		);
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'autoRenewal', operation: 'enable' },
		});
		expect(result.error?.message).toBe('This order cannot be renewed automatically');
	});
});
