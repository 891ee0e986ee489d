import { eventLoopYielder } from '../../../shared/api/wait';
import type { PageContent } from '../content/pageContent';
import { shownBeginningOf } from '../content/shownNodes';

/** A sign that only a wall has. */
interface Sign {
	/** Texts in the markup of a page with hardly any words, in lower case, any of which is there. */
	readonly marks?: readonly string[];
	/** The title and the words of such a page. */
	readonly says?: RegExp;
	/** Whether a page where something can be typed is none, such as a login form with a captcha. */
	readonly isWithoutFields?: true;
	/** The address that a redirect led to. */
	readonly address?: RegExp;
	/** A header, whatever the page is. */
	readonly header?: readonly [name: string, value: RegExp];
}

/** A page that is shown in place of another one to visitors that are taken for programs. */
interface Wall {
	/** Undefined for a site's own. */
	readonly name?: string;
	/** A public description of the signs. */
	readonly source: string;
	readonly signs: readonly Sign[];
}

/** Words in which captchas ask to be solved. */
const ASKS = /验证|verif|captcha|robot|human/i;

const WALLS: readonly Wall[] = [
	{
		name: 'WeChat',
		source: 'https://github.com/cooderl/wewe-rss/issues/388',
		signs: [
			{ address: /^https?:\/\/mp\.weixin\.qq\.com\/mp\/wappoc_appmsgcaptcha/ },
			{ marks: ['环境异常'], says: /当前环境异常.{0,20}验证/ },
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
		source: 'https://github.com/WangYihang/acw-sc-v2.js',
		signs: [{ marks: ['acw_sc__v2', 'acw_sc__v3', '_____tmd_____/punish', 'x5secdata'] }],
	},
	{
		name: 'Tencent',
		source:
			'https://github.com/reqable/reqable-app/issues/2045, https://cloud.tencent.com/document/product/1110/36841',
		signs: [
			{
				marks: ['edgeone'],
				says: /拦截.{0,30}edgeone|edgeone.{0,60}(?:拦截|block)|block.{0,60}edgeone/i,
			},
			{ marks: ['captcha.gtimg.com', 'tcaptcha.js'], says: ASKS, isWithoutFields: true },
		],
	},
	{
		name: 'Jiasule',
		source: 'https://github.com/einherjarcai/spider/issues/1',
		signs: [{ marks: ['__jsl_clearance'] }],
	},
	{
		name: 'Douyin',
		source: 'https://github.com/biliup/biliup/issues/114',
		signs: [{ marks: ['__ac_signature'] }],
	},
	{
		name: 'Geetest',
		source: 'https://docs.geetest.com/BehaviorVerification/apirefer/api/web',
		signs: [
			{ marks: ['initgeetest(', 'initgeetest4('], isWithoutFields: true },
			{ marks: ['static.geetest.com/'], says: ASKS, isWithoutFields: true },
		],
	},
	{
		name: 'Cloudflare',
		source:
			'https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/',
		signs: [
			{ header: ['cf-mitigated', /^challenge/i] },
			{ marks: ['_cf_chl_opt'] },
			{ marks: ['just a moment'], says: /^just a moment/i },
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
		signs: [{ header: ['x-amzn-waf-action', /^(?:captcha|challenge)/i] }],
	},
	{
		name: 'Akamai',
		source: 'https://github.com/netbirdio/netbird/issues/3670',
		signs: [
			{ marks: ['reference'], says: /you don't have permission to access .{1,600}reference #\d/i },
		],
	},
	{
		name: 'DataDome',
		source: 'https://2captcha.com/api-docs/datadome-slider-captcha',
		signs: [{ marks: ['captcha-delivery.com/'] }],
	},
	{
		name: 'PerimeterX',
		source: 'https://github.com/0xjas0/Chegg-Answer-Bot/issues/34',
		signs: [{ marks: ['px-captcha'] }],
	},
	{
		name: 'Imperva',
		source: 'https://github.com/ziplokk1/incapsula-cracker-py3/issues/1',
		signs: [{ marks: ['incapsula incident id'] }],
	},
	{
		source: 'https://github.com/bowenpay/wechat-spider/issues/31',
		signs: [
			{
				marks: ['频繁', '异常', '验证', 'unusual traffic', 'robot', 'human', 'too many requests'],
				says: /^.{0,60}(?:(?:访问|请求|操作|刷新|搜索)[^。]{0,6}(?:过于|太过?|过)频繁|异常(?:访问|流量|请求)|(?:访问|流量|请求|网络环境)(?:存在)?异常|(?:完成|通过|进行)[^。]{0,14}验证|unusual traffic|are you (?:a )?(?:robot|human)|not a robot|you are (?:a )?human|too many requests).{0,140}$/i,
				isWithoutFields: true,
			},
		],
	},
];

/** The wall that a page is. */
export interface FoundWall {
	/** Such as "Cloudflare"; undefined for a site's own. */
	readonly name?: string;
}

/** Bytes of the largest page that is looked at. */
const LARGEST_WALL = 200_000;

/** Characters of a page with hardly any words, white space not counted. */
const MOST_WORDS = 800;

/** A text with its letters in their usual width, as an old page may have others. */
function inUsualWidth(text: string): string {
	return text.normalize('NFKC').replace(/[\u2018\u2019]/g, "'");
}

/**
 * The wall that a page is, whatever its status; undefined for any other page.
 *
 * @param url of the page, behind its redirects
 */
export async function wallOf(content: PageContent, url: string): Promise<FoundWall | undefined> {
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
	const markup = content.text.toLowerCase();
	const marked = ({ marks = [] }: Sign) => marks.some((mark) => markup.includes(mark));
	if (hasSign(marked) === undefined) return undefined;
	const { text, isWhole, hasFields } = content.isHtml
		? await shownBeginningOf((await content.html).document, MOST_WORDS, eventLoopYielder())
		: { text: content.text, isWhole: content.text.length <= MOST_WORDS, hasFields: false };
	if (!isWhole) return undefined;
	const words = inUsualWidth(`${await content.title()} ${text}`);
	return hasSign(
		(sign) =>
			marked(sign) &&
			(sign.says === undefined || sign.says.test(words.trim())) &&
			!(sign.isWithoutFields === true && hasFields),
	);
}
