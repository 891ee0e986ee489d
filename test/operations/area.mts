import { ALL, LIST, MISSING } from './common.mts';
import type { ResourceRow } from './row.mts';
import type { World } from './world.mts';

const ENGLISH = new Intl.DisplayNames('en', { type: 'region' });

const countries =
	(series: 'retail' | 'package') =>
	({ sandbox }: World) =>
		sandbox.overseasStock[series].map((area) => ({ ...area, country: ENGLISH.of(area.code) }));

export const area: ResourceRow = {
	resource: 'area',
	label: 'Area',
	opensWith: 'getAll',
	operations: [
		{
			operation: 'getAll',
			label: 'Get Many',
			action: 'Get many areas',
			labels: ['Series', ...LIST, 'Options'],
			key: 'either',
			path: '/api/querysfpsarea',
			cases: [
				{
					what: 'all countries of the series Retail',
					order: 'sfps',
					fields: { serie: 1, ...ALL },
					sent: { serie: '1' },
					gives: countries('retail'),
					answers: {
						'/api/querysfpsarea': {
							data: [
								{ code: 'US', name: '美国' },
								{ code: 'JP', name: '日本' },
							],
							shape: 'list',
							added: ['country'],
						},
					},
				},
				{
					what: 'all countries of the series Package',
					order: 'sfpsPackage',
					fields: { serie: 2, ...ALL },
					sent: { serie: '2' },
					gives: countries('package'),
				},
			],
		},
	],
	endpoints: [
		{
			path: '/api/querysfpsarea',
			codes: {
				[-1]: MISSING,
				[-2]: /did not accept the value of 'Series'.*report/i,
				[-3]: /not an overseas static residential order.*account's key pair, or .*overseas static residential order/,
			},
		},
	],
};
