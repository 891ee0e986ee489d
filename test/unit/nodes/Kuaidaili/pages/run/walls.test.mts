import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import { wallOf } from '../../../../../../nodes/Kuaidaili/pages/run/walls.ts';

const URL = 'https://site.example/page';

interface Answer {
	readonly body: string;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly url?: string;
}

async function wallIn({ body, status = 200, headers = {}, url = URL }: Answer) {
	const content = new PageContent(
		{
			...{ kind: 'answer', status, statusText: '', source: 'page' },
			headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
			body: Buffer.from(body),
		},
		url,
	);
	return await wallOf(content, url);
}

function page(title: string, body: string, head = ''): string {
	return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;
}

const script = (code: string) => `<script>${code}</script>`;
const NOSCRIPT = '<noscript>Enable JavaScript and cookies to continue</noscript>';

// Made by hand after the descriptions that the table names
it.each<[string, Answer, Answer]>([
	[
		'WeChat',
		{
			body: page(
				'',
				'<div class="weui-msg"><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p><a>去验证</a></div>',
			),
		},
		{
			status: 412,
			url: 'https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?poc_token=H1&target_url=x',
			body: page('', '<div id="app"></div>'),
		},
	],
	[
		'Baidu',
		{
			body: page(
				'百度安全验证',
				'<div class="timeout hide-callback"><div>网络不给力，请稍后重试</div><button>返回首页</button></div><p>问题反馈</p>',
			),
		},
		{
			status: 403,
			url: 'https://wappass.baidu.com/static/captcha/tuxing.html?ak=1',
			body: page('', '<div id="passmod"></div>'),
		},
	],
	[
		'Aliyun',
		{
			body: `<html>${script(`var arg1='70D9569C';function reload(x){setCookie("acw_sc__v2", x);document.location.reload();}`)}</html>`,
		},
		{
			status: 405,
			body: `${script(`sessionStorage.x5referer = location.href; location.href = "https://site.example:443/_____tmd_____/punish?x5secdata=xx"`)}`,
		},
	],
	[
		'Tencent',
		{
			body: page(
				'',
				'<p>请完成安全验证后继续</p>',
				'<script src="https://turing.captcha.gtimg.com/1/TCaptcha.js"></script>',
			),
		},
		{
			status: 567,
			body: page(
				'Restricted Access',
				'<h1>您的请求已被该站点的安全策略拦截。</h1><p>由 Tencent Cloud ＥｄｇｅＯｎｅ 提供防护</p>EdgeOne',
			),
		},
	],
	[
		'Jiasule',
		{
			body: script(
				`var x="@@__jsl_clearance_s@@"; document.cookie="__jsl_clearance_s=1|2"; location.href=location.pathname`,
			),
		},
		{ status: 521, body: script(`document.cookie=("__jsl_clearance=")+"1";`) },
	],
	[
		'Douyin',
		{
			body: `<html><body>${script(`window.byted_acrawler.init({aid:99999999}); var s=window.byted_acrawler.sign("",__ac_nonce); document.cookie="__ac_signature="+s; window.location.reload();`)}</body></html>`,
		},
		{ status: 461, body: page('', script('document.cookie = "__ac_signature=_02B4Z6";')) },
	],
	[
		'Geetest',
		{
			body: page(
				'',
				`<div id="captcha"></div>${script('initGeetest4({captchaId:"x"}, function(c){c.showCaptcha()})')}`,
			),
		},
		{
			status: 418,
			body: page(
				'安全验证',
				'<div>请在下方完成验证</div><form><input type="hidden" name="challenge"><button>提交</button></form>',
				'<script src="//static.geetest.com/static/tools/gt.js"></script>',
			),
		},
	],
	[
		'Cloudflare',
		{
			body: page(
				'Just a moment...',
				`${NOSCRIPT}${script('(function(){window._cf_chl_opt = {cvId: "3"};})()')}`,
			),
		},
		{
			status: 403,
			body: page(
				'Attention Required! | Cloudflare',
				'<div id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access site.example</h2></div>',
			),
		},
	],
	[
		'Cloudflare',
		{ headers: { 'cf-mitigated': 'challenge' }, body: page('site.example', 'One more step') },
		{
			status: 503,
			body: page('JUST A MOMENT…', '<h1>site.example</h1><p>Checking your browser</p>'),
		},
	],
	[
		'AWS WAF',
		{ status: 202, headers: { 'x-amzn-waf-action': 'challenge' }, body: '' },
		{
			status: 405,
			headers: { 'x-amzn-waf-action': 'captcha' },
			body: page('Human Verification', '<div id="captcha-container"></div>'),
		},
	],
	[
		'Akamai',
		{
			body: page(
				'Access Denied',
				`<H1>Access Denied</H1> You don't have permission to access "http&#58;&#47;&#47;site&#46;example&#47;" on this server.<P>Reference&#32;&#35;18&#46;e3c1202&#46;1744611336&#46;e02832`,
			),
		},
		{
			status: 403,
			body: page(
				'Access Denied',
				`<h1>Access Denied</h1>You don’t have permission to access "http://site.example/a?b" on this server.<p>Reference #18.ef3a2f17.1619133194.15bcf105<p>https://errors.edgesuite.net/18.ef3a2f17`,
			),
		},
	],
	[
		'DataDome',
		{
			body: page(
				'site.example',
				`<p id="cmsg">Please enable JS and disable any ad blocker</p>${script("var dd={'rt':'c','host':'geo.captcha-delivery.com/'}")}`,
			),
		},
		{
			status: 403,
			body: page(
				'',
				`${script("var dd={'rt':'i'}")}<script src="https://ct.captcha-delivery.com/i.js"></script>`,
			),
		},
	],
	[
		'PerimeterX',
		{
			body: page(
				'Access to this page has been denied',
				`${script("window._pxAppId = 'PXa'; var pxCaptchaSrc = '/x/captcha.js';")}<div>Press & Hold to confirm you are a human</div>`,
				'<meta name="description" content="px-captcha">',
			),
		},
		{ status: 403, body: page('', '<div id="px-captcha"></div>') },
	],
	[
		'Imperva',
		{
			body: '<html><body><iframe src="/_Incapsula_Resource?CWUDNSAI=9&incident_id=4">Request unsuccessful. Incapsula incident ID: 485000470549342814</iframe></body></html>',
		},
		{
			status: 403,
			body: '<html><body><iframe id="main-iframe" src="/_Incapsula_Resource?edet=12">Request unsuccessful. Incapsula incident ID: 1</iframe></body></html>',
		},
	],
])('a page of %s is a wall', async (name, first, second) => {
	expect((await wallIn(first))?.name).toBe(name);
	expect((await wallIn(second))?.name).toBe(name);
});

it.each<[string, Answer]>([
	['too many visits', { body: page('提示', '<p>您的访问过于频繁，请稍后再试</p>') }],
	[
		'too many requests, as text',
		{ body: '操作过于频繁，请稍后再试', headers: { 'content-type': 'text/plain' } },
	],
	['odd visits', { body: page('', '<div>检测到您的网络环境存在异常，请稍候再试</div>') }],
	['a check', { body: page('访问验证', '<p>为了您的账号安全，请完成下方的安全验证</p>') }],
	[
		'unusual traffic',
		{ body: page('Sorry…', '<p>Our systems have detected unusual traffic from your network.') },
	],
	['robots', { body: page('Robot Check', "<p>Please confirm you're not a robot.</p>") }],
])('a page that says nothing but of %s is one without a name', async (_what, answer) => {
	const wall = await wallIn(answer);
	expect(wall).toBeDefined();
	expect(wall?.name).toBeUndefined();
});

const LONG =
	'<p>How a site keeps programs out, and what they do about that, is a long story.</p>'.repeat(20);

it.each<[string, Answer]>([
	[
		'a blog about captchas',
		{
			body: page(
				'百度安全验证 and 当前环境异常，完成验证后即可继续访问',
				`${LONG}<code>acw_sc__v2 __jsl_clearance __ac_signature px-captcha _cf_chl_opt</code><p>访问过于频繁`,
			),
		},
	],
	[
		'a login form with a captcha',
		{
			body: page(
				'登录',
				`<form><input name="user"><input type="password" name="p"><div>请完成安全验证</div></form>${script('initGeetest({})')}<script src="https://captcha.gtimg.com/TCaptcha.js"></script>`,
			),
		},
	],
	[
		'a page for scripts that loads a captcha for its forms',
		{
			body: page(
				'Shop',
				'<div id="app">Loading</div><script src="https://static.geetest.com/v4/gt4.js"></script><script src="https://captcha.gtimg.com/TCaptcha.js"></script>',
			),
		},
	],
	[
		'a page with the scripts by which Cloudflare, DataDome, PerimeterX, and Imperva watch',
		{
			body: page(
				'Shop',
				`<p>Open from 9 to 5.</p>${script("window.__CF$cv$params={r:'1'}")}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="https://js.datadome.co/tags.js"></script><script src="//client.px-cloud.net/PXa/main.min.js"></script><script src="/_Incapsula_Resource?SWJIYLWA=7"></script>`,
			),
		},
	],
	[
		'a site behind Cloudflare that is down',
		{
			status: 521,
			body: page(
				'site.example | 521: Web server is down',
				'<div id="cf-error-details"><h1>Web server is down Error code 521</h1></div>',
			),
		},
	],
	[
		'JSON',
		{ body: '{"code":1,"msg":"访问过于频繁"}', headers: { 'content-type': 'application/json' } },
	],
	[
		'a short page about human rights',
		{ body: page('Human rights', '<p>All human beings are born free.</p>') },
	],
	['a story about robots', { body: page('Robots', '<p>The robot sleeps.</p>') }],
	[
		'a short notice about a check',
		{
			body: page(
				'通知',
				`<p>本周五进行消防检查，请各部门配合。${'会议地点在三楼。'.repeat(30)}完成验证。`,
			),
		},
	],
	['nothing', { body: '' }],
	[
		'a page that does without text, larger than any wall',
		{ body: page('', script(`var a = "acw_sc__v2${' '.repeat(200_000)}"`)) },
	],
])('%s is no wall', async (_what, answer) => {
	expect(await wallIn(answer)).toBeUndefined();
});
