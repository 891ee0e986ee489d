import {
	matchesSearch,
	regionLabel,
	type Region,
} from '../../../../../nodes/Kuaidaili/methods/listSearch.ts';

const HANGZHOU = { code: '3301', name: '杭州市' };
const XIAN = { code: '6101', name: '西安市' };
const URUMQI = { code: '6501', name: '乌鲁木齐市' };
const BEIJING = { code: '11', name: '北京市' };
const CHANGZHOU = { code: '3204', name: '常州市' };
const ZHANGZHOU = { code: '3506', name: '漳州市' };
const KHINGAN = { code: '2327', name: '大兴安岭地区' };
const NEW_CITY = { code: '3399', name: '新市' };
const ABROAD = { code: '9901', name: '某地' };

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

it.each<[Region, string | undefined]>([
	[HANGZHOU, undefined],
	[HANGZHOU, ''],
	[HANGZHOU, '  '],
	[HANGZHOU, 'Hangzhou'],
	[HANGZHOU, 'hang'],
	[HANGZHOU, 'HANGZHOU'],
	[HANGZHOU, 'Hang Zhou'],
	[HANGZHOU, 'Hángzhōu'],
	[HANGZHOU, '杭州'],
	[HANGZHOU, '杭州市'],
	[HANGZHOU, '3301'],
	[HANGZHOU, '33'],
	[HANGZHOU, 'Zhejiang'],
	[HANGZHOU, 'zhe jiang'],
	[HANGZHOU, '浙江'],
	[HANGZHOU, '浙江省 '],
	[HANGZHOU, '(3301)'],
	[HANGZHOU, '杭州市 (3301)'],
	[CHANGZHOU, 'Changzhou'],
	[KHINGAN, 'khingan'],
	[KHINGAN, 'Greater Kh'],
	[KHINGAN, '安岭'],
	[{ code: '1501', name: '呼和浩特市' }, 'Mongolia'],
	[HANGZHOU, 'Hangzhou 杭州市 (3301)'],
	[XIAN, 'xian'],
	[XIAN, "Xi'an"],
	[XIAN, 'Xi’an'],
	[XIAN, 'Xi an'],
	[XIAN, 'Shaanxi'],
	[URUMQI, 'urumqi'],
	[URUMQI, 'Ürümqi'],
	[URUMQI, 'U\u0308ru\u0308mqi'],
	[URUMQI, 'Xinjiang'],
	[BEIJING, 'Beijing'],
	[BEIJING, '北京'],
	[NEW_CITY, 'Zhejiang'],
	[NEW_CITY, '新市'],
	[ABROAD, '9901'],
])('%j is found by %j', (region, typed) => {
	expect(matchesSearch(region, typed)).toBe(true);
});

it.each<[Region, string]>([
	[HANGZHOU, 'Huzhou'],
	[HANGZHOU, 'zhou'],
	[HANGZHOU, '01'],
	[CHANGZHOU, 'Hangzhou'],
	[ZHANGZHOU, 'Hangzhou'],
	[{ code: '5133', name: '甘孜藏族自治州' }, '33'],
	[HANGZHOU, '省'.repeat(2)],
	[HANGZHOU, '3302'],
	[HANGZHOU, '杭洲'],
	[HANGZHOU, 'Jiangsu'],
	[HANGZHOU, '江苏'],
	[HANGZHOU, '.*'],
	[XIAN, 'Shanxi'],
	[ABROAD, 'Zhejiang'],
	[{ code: 'constructor', name: '某地' }, 'Object'],
])('%j is not found by %j', (region, typed) => {
	expect(matchesSearch(region, typed)).toBe(false);
});
