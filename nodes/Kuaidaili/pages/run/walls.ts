import { eventLoopYielder } from '../../../shared/api/wait';
import type { PageContent } from '../content/pageContent';
import { shownBeginningOf } from '../content/shownNodes';

/** A sign that only a wall has. */
interface Sign {
	/** Texts in the markup of a page with hardly any words, in lower case, any of which is there. */
	readonly marks?: readonly string[];
	/** The title and the words of such a page. */
	readonly says?: RegExp;
	/** Fields to type in at most: a log-in form with a captcha has more. Any number where it is undefined. */
	readonly mostFields?: number;
	/** The address that a redirect led to. */
	readonly address?: RegExp;
	/** A header, whatever the page is. */
	readonly header?: readonly [name: string, value: RegExp];
}

/** A page that is shown in place of another one to visitors that are taken for programs. */
export interface Wall {
	/** Such as "Cloudflare"; undefined for a site's own. */
	readonly name?: string;
	/** A public description of the signs. */
	readonly source: string;
	readonly signs: readonly Sign[];
}

/** A page without a word, as it is before its script has run. Others have the same script beside what they show. */
const WITHOUT_WORDS = /^$/;

/** A page with a few words at most, white space counted, such as the name of its site. */
const WITH_FEW_WORDS = /^.{0,200}$/;

/** A demand that is none for a proof that somebody is there: of an address, a number, or a product. */
const PROVES_ELSE = '(?![^。]{0,14}(?:邮|手机|短信|防伪|实名))';

const PROVES_HUMAN = '(?:verify|confirm|prove)\\b.{0,30}\\bhuman';

/** Sentences in which a page asks for a proof that somebody is there. */
const ASKS = new RegExp(
	[
		`(?:完成|通过|进行|协助|点击)${PROVES_ELSE}[^。]{0,14}验证`,
		'(?:安全|人机|滑[动块]|拼图)验证',
		'(?:拖动|按住|滑动)[^。]{0,10}滑块',
		'captcha|not a robot|are you (?:a )?(?:robot|human)',
		PROVES_HUMAN,
	].join('|'),
	'i',
);

/** A text of a few words, among them one of these. */
function shortWith(words: readonly string[]): RegExp {
	return new RegExp(`^.{0,60}(?:${words.join('|')}).{0,140}$`, 'i');
}

/** Words of a short page of a site's own for those whose visits it takes for a program's. */
const REFUSES = shortWith([
	'(?:访问|请求|操作|刷新|搜索|查询|点击)[^。]{0,6}(?:过于|太过?|过)(?:频繁|快|密集)',
	'(?:访问|请求|操作|查询)的?(?:频率|频次|次数|速度)[^。]{0,6}(?:[过太][高多快大]|上限)',
	'(?:频繁|异常)(?:访问|流量|请求)',
	'(?:访问|流量|请求|网络环境|访问行为)(?:存在)?异常',
	'(?:IP|访问|请求)[^。]{0,20}[被已][^。]{0,14}(?:阻断|拦截|封禁|屏蔽|拉黑)',
	'继续访问[^。]{0,12}输入[^。]{0,8}验证码|输入[^。]{0,8}验证码[^。]{0,10}继续(?:访问|浏览)',
	'unusual traffic|too many requests|automated (?:access|requests|queries)',
]);

/** Words of one that asks its visitors for a proof that they are there. */
const WANTS_PROOF = shortWith([
	`(?:完成|通过|进行|协助|点击)${PROVES_ELSE}[^。]{0,14}验证`,
	'(?:拖动|按住|滑动)[^。]{0,10}滑块',
	'不是机器人',
	"are you (?:a )?(?:robot|human)|robot or human|(?:you're|are) not a (?:ro)?bot\\b",
	PROVES_HUMAN,
	'(?:solve|complete) (?:the|this|a) captcha',
]);

const WALLS: readonly Wall[] = [
	{
		name: 'WeChat',
		source: 'https://github.com/cooderl/wewe-rss/issues/388',
		signs: [
			{ address: /^https?:\/\/mp\.weixin\.qq\.com\/mp\/wappoc_appmsgcaptcha/ },
			{ marks: ['环境异常'], says: /当前环境异常.{0,20}验证/ },
			{ marks: ['secitptpage/verify'], says: WITH_FEW_WORDS },
		],
	},
	{
		name: 'Baidu',
		source: 'https://github.com/longxiaofei/spider-BaiduIndex/issues/95',
		signs: [
			{ address: /^https?:\/\/wappass\.baidu\.com\/static\/captcha/ },
			{ marks: ['百度安全验证'], says: /百度安全验证/ },
		],
	},
	{
		name: 'Aliyun',
		source:
			'https://github.com/WangYihang/acw-sc-v2.js, https://github.com/shidenggui/easytrader/issues/496',
		signs: [
			{
				marks: [
					...['acw_sc__v2', 'acw_sc__v3', '_____tmd_____/punish', 'x5secdata', 'aliyun_waf_'],
					...['alicdn.com/sd/punish', '霸下通用'],
				],
				says: WITH_FEW_WORDS,
			},
		],
	},
	{
		name: 'Tencent',
		source:
			'https://github.com/reqable/reqable-app/issues/2045, https://cloud.tencent.com/document/product/1110/36841',
		signs: [
			{ marks: ['edgeone'], says: /(?:已被.{0,30}拦截|(?:been|was) blocked).{0,90}edgeone/i },
			{ marks: ['edgeone'], says: /edgeone.{0,60}(?:已被.{0,30}拦截|(?:been|was) blocked)/i },
			{
				marks: [
					...['captcha.gtimg.com', 'captcha.qq.com', 'captcha.qcloud.com', 'tcaptcha.js'],
					'tencentcaptcha(',
				],
				says: ASKS,
				mostFields: 0,
			},
		],
	},
	{
		name: 'Jiasule',
		source: 'https://github.com/einherjarcai/spider/issues/1',
		signs: [{ marks: ['__jsl_clearance'], says: WITH_FEW_WORDS }],
	},
	{
		name: 'Ruishu',
		source: 'https://github.com/pysunday/rs-reverse/issues/17',
		signs: [{ marks: ["$_ts=window['$_ts']", '$_ts=window["$_ts"]'], says: WITHOUT_WORDS }],
	},
	{
		name: 'Douyin',
		source:
			'https://github.com/biliup/biliup/issues/114, https://github.com/dfreelon/pyktok/issues/83',
		signs: [
			{ marks: ['__ac_signature', '_wafchallengeid', 'slardarwaf'], says: WITH_FEW_WORDS },
			{ marks: ['byted_acrawler', '__ac_nonce'], says: WITHOUT_WORDS },
			{ marks: ['验证码中间页'], says: /验证码中间页/ },
		],
	},
	{
		name: 'Douban',
		source: 'https://github.com/lesywix/douban_group_spy/issues/13',
		signs: [
			{ address: /^https?:\/\/sec\.douban\.com\// },
			{ marks: ['异常请求'], says: /异常请求从你的 ?ip ?发出/i },
		],
	},
	{
		name: 'Meituan',
		source: 'https://github.com/Sniper970119/dianping_spider/issues/33',
		signs: [{ address: /^https?:\/\/verify\.meituan\.com\// }],
	},
	{
		name: 'Sogou',
		source: 'https://github.com/zhanghe06/news_spider/issues/4',
		signs: [{ address: /^https?:\/\/(?:\w+\.)?sogou\.com\/antispider\// }],
	},
	{
		name: 'Weibo',
		source: 'https://github.com/dropod/issues/issues/17696',
		signs: [
			{ address: /^https?:\/\/(?:visitor\.)?passport\.weibo\.c(?:om|n)\/visitor\// },
			{ marks: ['sina visitor system'], says: /^sina visitor system/i },
		],
	},
	{
		name: 'Geetest',
		source: 'https://docs.geetest.com/BehaviorVerification/apirefer/api/web',
		signs: [
			{ marks: ['initgeetest(', 'initgeetest4('], says: WITHOUT_WORDS, mostFields: 0 },
			{
				marks: ['initgeetest(', 'initgeetest4(', 'geetest.com/'],
				says: ASKS,
				mostFields: 0,
			},
		],
	},
	{
		name: 'Cloudflare',
		source:
			'https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/',
		signs: [
			{ header: ['cf-mitigated', /^challenge/i] },
			{
				marks: [
					...['_cf_chl_opt', 'orchestrate/chl_page', 'cf-browser-verification', 'jschl-answer'],
					'cf-captcha-container',
				],
			},
			{ marks: ['just a moment'], says: /^just a moment ?\.{3}/i },
			// Its pages about sites that are down have these marks as well
			{
				marks: ['cf-error-details'],
				says: /you have been blocked|error 10(?:0[5-9]|1[0-2]|15|20)\b/i,
			},
		],
	},
	{
		name: 'AWS WAF',
		source:
			'https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-actions.html',
		signs: [
			{ header: ['x-amzn-waf-action', /^(?:captcha|challenge)/i] },
			{ marks: ['window.gokuprops'], says: WITH_FEW_WORDS },
		],
	},
	{
		name: 'Amazon',
		source: 'https://github.com/adamlwgriffiths/amazon_scraper/issues/29',
		signs: [{ marks: ['/errors/validatecaptcha', 'opfcaptcha.amazon'] }],
	},
	{
		name: 'Akamai',
		source:
			'https://github.com/netbirdio/netbird/issues/3670, https://github.com/germondai/trawl/pull/33, https://github.com/BillPetti/baseballr/pull/411',
		signs: [
			{ marks: ['reference'], says: /you don't have permission to access .{1,600}reference #\d/i },
			{ marks: ['sec-if-cpt-container', '/_sec/verify?provider='], says: WITH_FEW_WORDS },
		],
	},
	{
		name: 'DataDome',
		source: 'https://2captcha.com/api-docs/datadome-slider-captcha',
		signs: [
			{
				marks: ['//ct.captcha-delivery.com/', 'geo.captcha-delivery.com/'],
				says: WITH_FEW_WORDS,
			},
		],
	},
	{
		name: 'PerimeterX',
		source: 'https://github.com/0xjas0/Chegg-Answer-Bot/issues/34',
		signs: [
			{ marks: ['px-captcha'], says: /^$|denied|blocked|human|robot|\bbot\b|press .{1,5} hold/i },
		],
	},
	{
		name: 'Imperva',
		source:
			'https://github.com/ziplokk1/incapsula-cracker-py3/issues/1, https://github.com/OpenTermsArchive/engine/issues/319, https://github.com/daijro/camoufox/issues/90',
		signs: [
			{ marks: ['incapsula incident id'] },
			{ marks: ['_incapsula_resource'], says: WITHOUT_WORDS },
			{ marks: ['pardon our interruption'], says: /^$|interruption|\bbot\b/i },
		],
	},
	{
		name: 'Kasada',
		source: 'https://scrappey.com/qa/web-automation/how-kasada-detects-bots',
		signs: [{ marks: ['window.kpsdk'], says: WITHOUT_WORDS }],
	},
	{
		name: 'F5',
		source: 'https://infrarunbook.com/article/f5-asm-waf-blocking-legitimate-traffic',
		signs: [
			{ marks: ['support id'], says: /the requested url was rejected.{0,90}support id/i },
			{ marks: ['window["bobcmn"]', '"/tspd/'], says: WITHOUT_WORDS },
		],
	},
	{
		name: 'Sucuri',
		source:
			'https://docs.sucuri.net/website-firewall/sucuri-firewall-troubleshooting-guide/, https://github.com/codemanki/cloudscraper',
		signs: [
			{ marks: ['sucuri_cloudproxy'], says: WITH_FEW_WORDS },
			{ marks: ['sucuri website firewall'], says: /access denied.{0,30}sucuri website firewall/i },
		],
	},
	{
		name: 'Yandex',
		source: 'https://github.com/searxng/searxng/pull/5417',
		signs: [
			{ header: ['x-yandex-captcha', /^captcha/i] },
			{ address: /^https?:\/\/(?:\w+\.)?yandex\.[a-z.]{2,8}\/showcaptcha/ },
		],
	},
	{
		source: 'https://github.com/bowenpay/wechat-spider/issues/31',
		signs: [
			{
				marks: [
					...['频繁', '频率', '频次', '次数', '速度', '过快', '太快', '密集', '异常', '验证码'],
					...['阻断', '拦截', '封禁', '屏蔽', '拉黑', 'traffic', 'too many requests', 'automated'],
				],
				says: REFUSES,
				mostFields: 1,
			},
			{
				marks: ['验证', '滑块', '机器人', 'a bot', 'robot', 'human', 'captcha'],
				says: WANTS_PROOF,
				mostFields: 0,
			},
			// A page that is nothing but its title
			{ marks: ['验证'], says: /^\S{0,8}(?:安全|访问|人机|滑[动块]|京东)验证(?:页面|中心)?$/ },
		],
	},
];

/** Bytes of the largest page that is looked at. */
const LARGEST_WALL = 200_000;

/** Characters of a page with hardly any words, white space not counted. */
const MOST_WORDS = 800;

/**
 * A text with letters and signs of full width, as an old page may have, in their usual one. `normalize` would do it, but
 * takes seconds for 100,000 accents in a row.
 */
function inUsualWidth(text: string): string {
	return text
		.replace(/[\uff01-\uff5e]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
		.replace(/[\u2018\u2019]/g, "'")
		.replaceAll('…', '...');
}

/**
 * The wall that a page is, whatever its status; undefined for any other page.
 *
 * @param url of the page, behind its redirects
 */
export async function wallOf(content: PageContent, url: string): Promise<Wall | undefined> {
	const { headers, body } = content.answer;
	const hasSign = (isSign: (sign: Sign) => boolean) =>
		WALLS.find(({ signs }) => signs.some(isSign));
	const certain = hasSign(({ address, header: [name, value] = ['', /^/] }) => {
		const given = headers[name];
		return address?.test(url) === true || (typeof given === 'string' && value.test(given));
	});
	if (certain !== undefined) return certain;
	const isPage = content.hasReadableBody && (content.isHtml || content.isPlainText);
	if (!isPage || body.length > LARGEST_WALL) return undefined;
	const markup = inUsualWidth(content.text).toLowerCase();
	const marked = ({ marks = [] }: Sign) => marks.some((mark) => markup.includes(mark));
	if (hasSign(marked) === undefined) return undefined;
	const { text, isWhole, fields } = content.isHtml
		? await shownBeginningOf((await content.html).document, MOST_WORDS, eventLoopYielder())
		: { text: content.text, isWhole: content.text.length <= MOST_WORDS, fields: 0 };
	if (!isWhole) return undefined;
	const title = (await content.title()).slice(0, MOST_WORDS);
	const words = inUsualWidth(`${title} ${text}`);
	return hasSign(
		(sign) =>
			marked(sign) &&
			(sign.says === undefined || sign.says.test(words.trim())) &&
			fields <= (sign.mostFields ?? Infinity),
	);
}
