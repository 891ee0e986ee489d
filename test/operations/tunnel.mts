import assert from 'node:assert/strict';

import type { NormalTunnel } from '../../sandbox/forwarding/tunnels/normalTunnel.mts';
import type { ResourceRow } from './row.mts';
import type { World } from './world.mts';

const CURRENT = '/api/tpscurrentip';
const PRO_CURRENT = '/api/tpsprocurrentip';
const CHANGE = '/api/changetpsip';
const INFO = '/api/getorderinfo';

function tunnelOf({ sandbox, theOrder }: World): NormalTunnel {
	assert.equal(theOrder.product, 'TPS');
	return sandbox.tunnels.normal(theOrder);
}

/** Requests went through it, so that it has an address. */
const inUse = (world: World) => tunnelOf(world).change();

const ADDRESS = /^127\.255\.\d+\.\d+$/;

export const tunnel: ResourceRow = {
	resource: 'tunnel',
	label: 'Tunnel',
	opensWith: 'getCurrentIp',
	operations: [
		{
			operation: 'changeIp',
			label: 'Change IP',
			action: 'Change tunnel IP',
			labels: ['Order', 'IPs to Change', 'Options'],
			key: 'order',
			path: CHANGE,
			cases: [
				{
					what: 'of a tunnel that keeps it for a minute',
					order: 'tpsMinute',
					calls: [INFO, CHANGE],
					gives: (world) => [{ ...world.chosen, new_ip: tunnelOf(world).currentAddresses()[0] }],
					answers: {
						[INFO]: { data: { orderid: '1', product: 'TPS' }, isSecret: true },
						[CHANGE]: {
							data: {
								new_ip: '123.35.67.46',
								new_ip_list: ['123.35.67.46', '125.100.86.128'],
							},
							shape: 'object',
						},
					},
				},
				{
					what: 'of one channel',
					order: 'tpsChannels',
					arrange: inUse,
					fields: { changeip: '' },
					calls: [INFO, CHANGE],
					prove({ records: [record] }, world) {
						const [current] = tunnelOf(world).currentAddresses();
						assert.deepEqual(record, {
							...world.chosen,
							new_ip: current,
							new_ip_list: [current],
						});
						assert.match(current, ADDRESS);
					},
				},
			],
		},
		{
			operation: 'getCurrentIp',
			label: 'Get Current IP',
			action: 'Get current tunnel IP',
			labels: ['Order', 'Product', 'Options'],
			key: 'order',
			path: CURRENT,
			everyChoiceOf: ['product'],
			cases: [
				{
					what: 'of a tunnel',
					order: 'tpsMinute',
					arrange: inUse,
					gives: (world) => [
						{ ...world.chosen, current_ip: tunnelOf(world).currentAddresses()[0] },
					],
					answers: {
						[CURRENT]: {
							data: {
								current_ip: '123.35.67.46',
								current_ip_list: ['123.35.67.46', '113.25.100.86'],
							},
							shape: 'object',
						},
					},
				},
				{
					what: 'of a session of Tunnel Pro that is not in use',
					order: 'tpsPro',
					path: PRO_CURRENT,
					fields: { product: 'TPS_PRO', sid: 's01' },
					sent: { sid: 's01' },
					gives: () => [],
					prove: ({ hints }) => assert.match(hints[0], /^No session of the tunnel/),
					answers: { [PRO_CURRENT]: { data: { s01: '123.35.67.46' }, shape: 'map' } },
				},
			],
		},
	],
	endpoints: [
		{
			path: CHANGE,
			codes: { [-114]: /duplicate of an earlier one.*may have been changed anyway/ },
			outcomeUnknown: [-114],
		},
		{ path: CURRENT, codes: { [-4]: /changes too often.*at least 30 seconds/ } },
		{ path: PRO_CURRENT, codes: {} },
	],
};
