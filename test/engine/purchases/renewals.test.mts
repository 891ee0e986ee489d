import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { Customer, RENEW } from '../support/customer.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

describe('Order: Renew', () => {
	async function renew(parameters: IDataObject, orderOf = tunnel) {
		const customer = new Customer(bed());
		const order = orderOf(customer);
		const result = await customer.renew(order, { renewWhen: 'always', ...parameters });
		return { order, result, requests: customer.requests(RENEW) };
	}
	const tunnel = (customer: Customer): Order => customer.tunnel(DAY);

	it('renews a prepaid order, and gives its expiry for n8n as well', async () => {
		const { order, result, requests } = await renew({ timeType: 'WEEK', timeNumber: 2 });
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
		const fields = { renewalOf: 'perIp', dpsIpCount: 3000 };
		const { result, requests } = await renew(fields, (customer) => customer.perIp(5));
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
		const fields = { renewalOf: 'perIp', proxyLifetime, dpsIpCount };
		const { result, requests } = await renew(fields);
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain(`'IPs to Add' can't be ${dpsIpCount}`);
	});

	it('refuses traffic that is not sold', async () => {
		const { result, requests } = await renew({ renewalOf: 'traffic', fpsFlow: 2 });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("'Traffic to Add' can't be 2");
	});

	it.each([1, 6, 10, 35, 110, 200, 500, 1000])('sends %i GB of traffic', async (fpsFlow) => {
		const { requests } = await renew({ renewalOf: 'traffic', fpsFlow }, (customer) =>
			customer.overseas(5),
		);
		expect(requests[0].parameters['fps.flow']).toBe(String(fpsFlow));
	});
});

describe('Auto-Renewal', () => {
	async function set(operation: string, parameters: IDataObject = {}, settings: Settings = {}) {
		const customer = new Customer(bed());
		const { keys } = customer.tunnel(DAY, settings);
		const result = await bed().engine.run({
			credentialId: bed().addCredential(keys, { keyType: 'order' }),
			parameters: { resource: 'autoRenewal', operation, ...parameters },
		});
		return { result, request: customer.requests('/api/setautorenew').at(0) };
	}
	type Settings = Parameters<Customer['tunnel']>[1];

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
		const { result, request } = await set('enable', { timeType: 'HOUR' });
		expect(request).toBeUndefined();
		expect(result.error?.message).toContain(`'Time Unit' can't be "HOUR"`);
	});

	it('tells that an order cannot renew itself', async () => {
		const { result } = await set('enable', {}, { payType: 'POST_PAY' });
		expect(result.error?.message).toBe('This order cannot be renewed automatically');
	});
});
