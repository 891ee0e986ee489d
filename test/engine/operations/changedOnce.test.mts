import { DAY } from '../../durations.mts';
import { World } from '../../operations/world.mts';
import { Customer } from '../support/customer.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* 'Retry On Fail' repeats a run with all its items: those that went well are left as they are. */

const bed = useTestBed();

const BY_ITEM = { __rl: true, mode: 'code', value: '={{ $json.id }}' };
const CHANGE = '/api/changetpsip';
const CLOSE = '/api/closeorder';

describe('Retry On Fail', () => {
	it('changes the IP of a tunnel once, though another one fails', async () => {
		const world = new World(bed().sandbox, 'account');
		const tunnels = [world.addOrder('tpsMinute'), world.addOrder('tpsMinute')];
		const [, { keys }] = tunnels;
		bed().sandbox.faults.add({ kind: 'code', code: -108, path: CHANGE, times: 2, ...keys });
		const { items, error } = await bed().engine.run({
			credentialId: bed().addCredential(world.keys, { keyType: 'account' }),
			parameters: { resource: 'tunnel', operation: 'changeIp', orderid: BY_ITEM },
			items: tunnels.map(({ orderId }) => ({ id: orderId })),
			settings: RETRY,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.orderid)).toEqual(tunnels.map(({ orderId }) => orderId));
		const changes = world.requests.filter(({ path }) => path === CHANGE);
		expect(changes.map(({ code }) => code)).toEqual([0, -108, -108, 0]);
	});

	it('closes an order once, which is closed though another one fails at first', async () => {
		const customer = new Customer(bed());
		const orders = [1, 2].map(() => customer.tunnel(DAY, { payType: 'POST_PAY' }));
		const [, { keys }] = orders;
		bed().sandbox.faults.add({ kind: 'code', code: -108, path: CLOSE, times: 1, ...keys });
		const { items, error } = await bed().engine.run({
			credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
			parameters: { resource: 'order', operation: 'close', orderid: BY_ITEM },
			items: orders.map(({ orderId }) => ({ id: orderId })),
			settings: RETRY,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.closed)).toEqual([true, true]);
		expect(customer.requests(CLOSE).map(({ code }) => code)).toEqual([0, -108, 0]);
	});

	it('changes anew in each turn of a loop', async () => {
		const world = new World(bed().sandbox, 'order', 'tpsMinute');
		const { itemsOfRuns } = await bed().engine.run({
			credentialId: bed().addCredential(world.keys),
			parameters: { resource: 'tunnel', operation: 'changeIp' },
			runs: 2,
		});
		expect(itemsOfRuns.map(({ length }) => length)).toEqual([1, 1]);
		expect(world.requests.filter(({ path }) => path === CHANGE)).toHaveLength(2);
	});
});
