import assert from 'node:assert/strict';

import type { ResourceRow } from './row.mts';
import type { World } from './world.mts';

const stateOf = ({ theOrder: { autoRenewal } }: World) =>
	autoRenewal.enabled ? autoRenewal.unit : 'off';

export const autoRenewal: ResourceRow = {
	resource: 'autoRenewal',
	label: 'Auto-Renewal',
	opensWith: 'enable',
	operations: [
		{
			operation: 'disable',
			label: 'Disable',
			action: 'Disable auto-renewal',
			labels: ['Order', 'Options'],
			key: 'order',
			path: '/api/setautorenew',
			cases: [
				{
					what: 'of a prepaid order',
					order: 'tps',
					arrange: ({ theOrder }) => {
						theOrder.autoRenewal.enabled = true;
					},
					sent: { autorenew: '0' },
					gives: ({ chosen }) => [{ ...chosen, enabled: false, message: 'autorenew disabled' }],
					prove: (_outcome, world) => assert.equal(stateOf(world), 'off'),
					answers: { '/api/setautorenew': { msg: 'autorenew disabled', data: '' } },
				},
			],
		},
		{
			operation: 'enable',
			label: 'Enable',
			action: 'Enable auto-renewal (charges your account at each renewal)',
			labels: ['Order', 'Time Unit', 'Options'],
			key: 'order',
			path: '/api/setautorenew',
			costs: 'later',
			cases: [
				{
					what: 'by the week',
					order: 'tps',
					fields: { timeType: 'WEEK' },
					sent: { autorenew: '1', time_type: 'WEEK' },
					gives: ({ chosen }) => [
						{ ...chosen, enabled: true, unit: 'WEEK', message: 'autorenew by week enabled' },
					],
					prove: (_outcome, world) => assert.equal(stateOf(world), 'WEEK'),
					answers: { '/api/setautorenew': { msg: 'autorenew by week enabled', data: '' } },
				},
			],
		},
	],
	endpoints: [
		{
			path: '/api/setautorenew',
			codes: {
				[-1]: /did not accept one of the values/,
				[-3]: /cannot be renewed automatically.*prepaid/,
			},
		},
	],
};
