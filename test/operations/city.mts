import { ALL, byCode, LIST, MISSING } from './common.mts';
import type { ResourceRow } from './row.mts';

/** The cities of the province 33, Zhejiang. */
const ENGLISH: Readonly<Record<string, string>> = {
	3301: 'Hangzhou',
	3302: 'Ningbo',
	3303: 'Wenzhou',
	3304: 'Jiaxing',
	3305: 'Huzhou',
	3306: 'Shaoxing',
	3307: 'Jinhua',
	3308: 'Quzhou',
	3309: 'Zhoushan',
	3310: 'Taizhou',
	3311: 'Lishui',
};

export const city: ResourceRow = {
	resource: 'city',
	label: 'City',
	opensWith: 'getAll',
	operations: [
		{
			operation: 'getAll',
			label: 'Get Many',
			action: 'Get many cities',
			labels: ['Series', 'Max Bandwidth', 'City', ...LIST, 'Options'],
			key: 'either',
			path: '/api/querykpscity',
			everyChoiceOf: ['serie'],
			cases: [
				{
					what: 'shared IPs with 2 Mb/s in one province',
					order: 'kps',
					fields: { serie: 1, kpsMaxBandwidth: 2, city: byCode('33'), ...ALL },
					sent: { serie: '1', 'kps.max_bandwidth': '2', model: 'STA', city: '33' },
					gives: ({ sandbox: { stock } }) =>
						stock
							.filter(({ code, sharedMegabits }) => code.startsWith('33') && sharedMegabits >= 2)
							.map(({ code, name, sharedMegabits }) => ({
								code,
								name,
								count: Math.floor(sharedMegabits / 2),
								city: ENGLISH[code],
							})),
					answers: {
						'/api/querykpscity': {
							data: [
								{ code: '3301', name: '杭州市', count: 12 },
								{ code: '4403', name: '深圳市', count: 3 },
							],
							shape: 'list',
							added: ['city'],
						},
					},
				},
				{
					what: 'exclusive IPs in one province, the first three cities',
					order: 'kpsExclusive',
					fields: { serie: 2, city: byCode('33'), limit: 3 },
					sent: { serie: '2', city: '33' },
					gives: ({ sandbox: { stock } }) =>
						stock
							.filter(({ code, hasExclusive }) => code.startsWith('33') && hasExclusive)
							.slice(0, 3)
							.map(({ code, name }) => ({ code, name, city: ENGLISH[code] })),
				},
			],
		},
	],
	endpoints: [
		{
			path: '/api/querykpscity',
			codes: {
				[-1]: MISSING,
				[-2]: /did not accept one of the values.*'Series', 'Max Bandwidth', and 'City'/,
				[-3]: /not a dedicated proxy order.*account's key pair, or .*dedicated proxy order/,
			},
		},
	],
};
