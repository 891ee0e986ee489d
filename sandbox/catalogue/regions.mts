export interface Region {
	country: string;
	/** Empty outside of China. */
	province: string;
	city: string;
}

const CITIES_BY_PROVINCE: Record<string, readonly string[]> = {
	北京市: ['北京市'],
	天津市: ['天津市'],
	上海市: ['上海市'],
	重庆市: ['重庆市'],
	河北省: ['石家庄市', '唐山市'],
	山西省: ['太原市', '大同市'],
	内蒙古: ['呼和浩特市', '包头市'],
	辽宁省: ['沈阳市', '大连市'],
	吉林省: ['长春市', '吉林市'],
	黑龙江省: ['哈尔滨市', '大庆市'],
	江苏省: ['南京市', '苏州市', '无锡市'],
	浙江省: ['杭州市', '宁波市', '温州市'],
	安徽省: ['合肥市', '芜湖市'],
	福建省: ['福州市', '厦门市'],
	江西省: ['南昌市', '赣州市'],
	山东省: ['济南市', '青岛市', '烟台市'],
	河南省: ['郑州市', '洛阳市'],
	湖北省: ['武汉市', '宜昌市'],
	湖南省: ['长沙市', '株洲市'],
	广东省: ['广州市', '深圳市', '东莞市'],
	广西: ['南宁市', '桂林市'],
	海南省: ['海口市', '三亚市'],
	四川省: ['成都市', '绵阳市'],
	贵州省: ['贵阳市', '遵义市'],
	云南省: ['昆明市', '大理市'],
	西藏: ['拉萨市'],
	陕西省: ['西安市', '咸阳市'],
	甘肃省: ['兰州市', '天水市'],
	青海省: ['西宁市'],
	宁夏: ['银川市'],
	新疆: ['乌鲁木齐市'],
};

const COUNTRIES = [
	'美国',
	'日本',
	'韩国',
	'新加坡',
	'泰国',
	'印度',
	'德国',
	'法国',
	'英国',
	'巴西',
];

export const CHINESE_REGIONS: readonly Region[] = Object.entries(CITIES_BY_PROVINCE).flatMap(
	([province, cities]) => cities.map((city) => ({ country: '中国', province, city })),
);

export const FOREIGN_REGIONS: readonly Region[] = COUNTRIES.map((country) => ({
	country,
	province: '',
	city: '',
}));

/** `广东` and `广东省` are the same place to whoever asks for it. */
function plainName(name: string): string {
	return name.replace(/[省市]$/u, '');
}

/** Every region that is, or lies in, one of the countries, provinces and cities that are named. */
export function regionsNamed(names: readonly string[]): ReadonlySet<Region> {
	const wanted = new Set(names.map(plainName));
	const isWanted = ({ country, province, city }: Region) =>
		[country, province, city].some((name) => wanted.has(plainName(name)));
	return new Set([...CHINESE_REGIONS, ...FOREIGN_REGIONS].filter(isWanted));
}

export function regionText({ country, province, city }: Region): string {
	if (province === '') return country;
	return province === city ? province : province + city;
}
