/** A place as the service lists it. */
export interface NamedCode {
	code: string;
	name: string;
}

/** Reads `31上海市 US美国`: each code stands right before its name. */
export function readNamedCodes(table: string): NamedCode[] {
	return [...table.matchAll(/([A-Z]{2}|\d+)(\S+)/gu)].map(([, code = '', name = '']) => ({
		code,
		name,
	}));
}

/**
 * Every region of China: a province, or a municipality, then its cities. The codes are the national
 * ones (GB/T 2260) without trailing zeros, as the service writes them. Counties that no city governs
 * have no code of four digits and are left out, as is what Taiwan, Hong Kong and Macao consist of.
 */
export const CHINESE_AREAS: readonly NamedCode[] = readNamedCodes(`
	11北京市
	12天津市
	13河北省
		1301石家庄市 1302唐山市 1303秦皇岛市 1304邯郸市 1305邢台市 1306保定市 1307张家口市
		1308承德市 1309沧州市 1310廊坊市 1311衡水市
	14山西省
		1401太原市 1402大同市 1403阳泉市 1404长治市 1405晋城市 1406朔州市 1407晋中市 1408运城市
		1409忻州市 1410临汾市 1411吕梁市
	15内蒙古
		1501呼和浩特市 1502包头市 1503乌海市 1504赤峰市 1505通辽市 1506鄂尔多斯市 1507呼伦贝尔市
		1508巴彦淖尔市 1509乌兰察布市 1522兴安盟 1525锡林郭勒盟 1529阿拉善盟
	21辽宁省
		2101沈阳市 2102大连市 2103鞍山市 2104抚顺市 2105本溪市 2106丹东市 2107锦州市 2108营口市
		2109阜新市 2110辽阳市 2111盘锦市 2112铁岭市 2113朝阳市 2114葫芦岛市
	22吉林省
		2201长春市 2202吉林市 2203四平市 2204辽源市 2205通化市 2206白山市 2207松原市 2208白城市
		2224延边朝鲜族自治州
	23黑龙江省
		2301哈尔滨市 2302齐齐哈尔市 2303鸡西市 2304鹤岗市 2305双鸭山市 2306大庆市 2307伊春市
		2308佳木斯市 2309七台河市 2310牡丹江市 2311黑河市 2312绥化市 2327大兴安岭地区
	31上海市
	32江苏省
		3201南京市 3202无锡市 3203徐州市 3204常州市 3205苏州市 3206南通市 3207连云港市 3208淮安市
		3209盐城市 3210扬州市 3211镇江市 3212泰州市 3213宿迁市
	33浙江省
		3301杭州市 3302宁波市 3303温州市 3304嘉兴市 3305湖州市 3306绍兴市 3307金华市 3308衢州市
		3309舟山市 3310台州市 3311丽水市
	34安徽省
		3401合肥市 3402芜湖市 3403蚌埠市 3404淮南市 3405马鞍山市 3406淮北市 3407铜陵市 3408安庆市
		3410黄山市 3411滁州市 3412阜阳市 3413宿州市 3415六安市 3416亳州市 3417池州市 3418宣城市
	35福建省
		3501福州市 3502厦门市 3503莆田市 3504三明市 3505泉州市 3506漳州市 3507南平市 3508龙岩市
		3509宁德市
	36江西省
		3601南昌市 3602景德镇市 3603萍乡市 3604九江市 3605新余市 3606鹰潭市 3607赣州市 3608吉安市
		3609宜春市 3610抚州市 3611上饶市
	37山东省
		3701济南市 3702青岛市 3703淄博市 3704枣庄市 3705东营市 3706烟台市 3707潍坊市 3708济宁市
		3709泰安市 3710威海市 3711日照市 3713临沂市 3714德州市 3715聊城市 3716滨州市 3717菏泽市
	41河南省
		4101郑州市 4102开封市 4103洛阳市 4104平顶山市 4105安阳市 4106鹤壁市 4107新乡市 4108焦作市
		4109濮阳市 4110许昌市 4111漯河市 4112三门峡市 4113南阳市 4114商丘市 4115信阳市 4116周口市
		4117驻马店市
	42湖北省
		4201武汉市 4202黄石市 4203十堰市 4205宜昌市 4206襄阳市 4207鄂州市 4208荆门市 4209孝感市
		4210荆州市 4211黄冈市 4212咸宁市 4213随州市 4228恩施土家族苗族自治州
	43湖南省
		4301长沙市 4302株洲市 4303湘潭市 4304衡阳市 4305邵阳市 4306岳阳市 4307常德市 4308张家界市
		4309益阳市 4310郴州市 4311永州市 4312怀化市 4313娄底市 4331湘西土家族苗族自治州
	44广东省
		4401广州市 4402韶关市 4403深圳市 4404珠海市 4405汕头市 4406佛山市 4407江门市 4408湛江市
		4409茂名市 4412肇庆市 4413惠州市 4414梅州市 4415汕尾市 4416河源市 4417阳江市 4418清远市
		4419东莞市 4420中山市 4451潮州市 4452揭阳市 4453云浮市
	45广西
		4501南宁市 4502柳州市 4503桂林市 4504梧州市 4505北海市 4506防城港市 4507钦州市 4508贵港市
		4509玉林市 4510百色市 4511贺州市 4512河池市 4513来宾市 4514崇左市
	46海南省
		4601海口市 4602三亚市 4603三沙市 4604儋州市
	50重庆市
	51四川省
		5101成都市 5103自贡市 5104攀枝花市 5105泸州市 5106德阳市 5107绵阳市 5108广元市 5109遂宁市
		5110内江市 5111乐山市 5113南充市 5114眉山市 5115宜宾市 5116广安市 5117达州市 5118雅安市
		5119巴中市 5120资阳市 5132阿坝藏族羌族自治州 5133甘孜藏族自治州 5134凉山彝族自治州
	52贵州省
		5201贵阳市 5202六盘水市 5203遵义市 5204安顺市 5205毕节市 5206铜仁市
		5223黔西南布依族苗族自治州 5226黔东南苗族侗族自治州 5227黔南布依族苗族自治州
	53云南省
		5301昆明市 5303曲靖市 5304玉溪市 5305保山市 5306昭通市 5307丽江市 5308普洱市 5309临沧市
		5323楚雄彝族自治州 5325红河哈尼族彝族自治州 5326文山壮族苗族自治州 5328西双版纳傣族自治州
		5329大理白族自治州 5331德宏傣族景颇族自治州 5333怒江傈僳族自治州 5334迪庆藏族自治州
	54西藏
		5401拉萨市 5402日喀则市 5403昌都市 5404林芝市 5405山南市 5406那曲市 5425阿里地区
	61陕西省
		6101西安市 6102铜川市 6103宝鸡市 6104咸阳市 6105渭南市 6106延安市 6107汉中市 6108榆林市
		6109安康市 6110商洛市
	62甘肃省
		6201兰州市 6202嘉峪关市 6203金昌市 6204白银市 6205天水市 6206武威市 6207张掖市 6208平凉市
		6209酒泉市 6210庆阳市 6211定西市 6212陇南市 6229临夏回族自治州 6230甘南藏族自治州
	63青海省
		6301西宁市 6302海东市 6322海北藏族自治州 6323黄南藏族自治州 6325海南藏族自治州
		6326果洛藏族自治州 6327玉树藏族自治州 6328海西蒙古族藏族自治州
	64宁夏
		6401银川市 6402石嘴山市 6403吴忠市 6404固原市 6405中卫市
	65新疆
		6501乌鲁木齐市 6502克拉玛依市 6504吐鲁番市 6505哈密市 6523昌吉回族自治州
		6527博尔塔拉蒙古自治州 6528巴音郭楞蒙古自治州 6529阿克苏地区 6530克孜勒苏柯尔克孜自治州
		6531喀什地区 6532和田地区 6540伊犁哈萨克自治州 6542塔城地区 6543阿勒泰地区
	71台湾省
	81香港
	82澳门
`);

const NAMES = new Map(CHINESE_AREAS.map(({ code, name }) => [code, name]));

export function chineseName(code: string): string {
	const name = NAMES.get(code);
	if (name === undefined) throw new RangeError(`No region of China has the code "${code}"`);
	return name;
}

/** A city's province; what is none in particular is its own. */
export function provinceCode(code: string): string {
	return code.slice(0, 2);
}

/** Where proxies can be. A municipality is a city too, but keeps its code of two digits. */
export const CHINESE_CITIES: readonly NamedCode[] = CHINESE_AREAS.filter(
	({ code, name }) => code.length === 4 || name.endsWith('市'),
);

/** `广东` and `广东省` are the same place to whoever asks for it. */
export function plainName(name: string): string {
	return name.replace(/[省市]$/u, '');
}

const CODES = new Set(CHINESE_AREAS.map(({ code }) => code));

/**
 * The code of a province or city that is named, with or without its 省 or 市, or given by its code.
 * Undefined where there is no such place.
 */
export function areaCodeOf(text: string): string | undefined {
	if (CODES.has(text)) return text;
	// A province comes before the city of the same name, as Jilin.
	return CHINESE_AREAS.find(({ name }) => plainName(name) === plainName(text))?.code;
}

const OUTSIDE_OF_THE_MAINLAND = ['71', '81', '82'];

/** Where a Tunnel Pro order can come out. Their names have no last word: 北京, not 北京市. */
export const TUNNEL_PROVINCES: readonly NamedCode[] = CHINESE_AREAS.filter(
	({ code }) => code.length === 2 && !OUTSIDE_OF_THE_MAINLAND.includes(code),
).map(({ code, name }) => ({ code, name: plainName(name) }));

/** With the six digits that the other endpoints do not have. */
export function tunnelCities(province: string): NamedCode[] {
	if (!TUNNEL_PROVINCES.some(({ code }) => code === province)) return [];
	return CHINESE_CITIES.filter(({ code }) => provinceCode(code) === province).map(
		({ code, name }) => ({ code: sixDigits(code), name }),
	);
}

// The national standard has 01 for the districts of a municipality, which is what comes closest to a city.
function sixDigits(code: string): string {
	return (code.length === 2 ? `${code}01` : code).padEnd(6, '0');
}
