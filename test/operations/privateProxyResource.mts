import { ALL, byCode, LIST, MISSING } from './common.mts';
import type { ResourceRow } from './row.mts';

const HANGZHOU = { area_name: '杭州', area_code: 3301 };

export const privateProxyResource: ResourceRow = {
	resource: 'privateProxyResource',
	label: 'Private Proxy Resource',
	opensWith: 'getAll',
	operations: [
		{
			operation: 'getAll',
			label: 'Get Many',
			action: 'Get many private proxy resources',
			labels: ['Order', 'Area', 'Carrier', 'Only Available', ...LIST, 'Options'],
			key: 'order',
			path: '/api/dpsresources',
			cases: [
				{
					what: 'two areas of one carrier that the order can use',
					order: 'dps',
					arrange: ({ sandbox: { privateStock } }) => {
						privateStock.set('3301', [2, 3]).set('5101', []);
					},
					fields: { area: byCode('3301,5101'), carrier: 2, onlyAvailable: true, limit: 3 },
					sent: { area: '3301,5101', carrier: '2' },
					gives: () => [
						{
							...HANGZHOU,
							carrier_name: '电信',
							carrier_code: 2,
							available: true,
							carrier: 'China Telecom',
						},
					],
				},
				{
					what: 'all of them',
					order: 'dpsEven',
					arrange: ({ sandbox: { privateStock } }) => {
						privateStock.set('3301', [3]).set('5101', []);
					},
					fields: { area: '3301,5101', ...ALL },
					sent: { area: '3301,5101' },
					gives: () => [
						{
							...HANGZHOU,
							carrier_name: '移动',
							carrier_code: 3,
							available: true,
							carrier: 'China Mobile',
						},
						{
							area_name: '成都',
							area_code: 5101,
							carrier_name: '',
							carrier_code: -1,
							available: false,
						},
					],
					answers: {
						'/api/dpsresources': {
							msg: 'success',
							data: [
								{
									area_name: '北京',
									area_code: 11,
									carrier_name: '电信',
									carrier_code: 2,
									available: true,
								},
								{
									area_name: '浙江',
									area_code: 33,
									carrier_name: '',
									carrier_code: -1,
									available: false,
								},
							],
							shape: 'list',
							added: ['carrier'],
						},
					},
				},
			],
		},
	],
	endpoints: [
		{
			path: '/api/dpsresources',
			codes: {
				[-1]: MISSING,
				[-3]: /not a private proxy order.*choose a private proxy order/i,
				[-4]: /did not accept the value of 'Area'.*region codes of 2 to 4 digits/,
				[-5]: /did not accept the value of 'Carrier'.*'Any'/,
			},
		},
	],
};
