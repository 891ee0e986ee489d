import { regionLabel, type Region } from '../../../../nodes/Kuaidaili/listSearch.ts';

const HANGZHOU = { code: '3301', name: '杭州市' };
const BEIJING = { code: '11', name: '北京市' };
const NEW_CITY = { code: '3399', name: '新市' };

it.each<[Region, string]>([
	[HANGZHOU, 'Hangzhou 杭州市 (3301)'],
	[BEIJING, 'Beijing 北京市 (11)'],
	[{ code: '33', name: '浙江' }, 'Zhejiang 浙江 (33)'],
	[NEW_CITY, '新市 (3399)'],
	[{ code: '3301', name: '' }, 'Hangzhou (3301)'],
	[{ code: 'constructor', name: '某地' }, '某地 (constructor)'],
])('the label of %j is %s', (region, label) => {
	expect(regionLabel(region)).toBe(label);
});
