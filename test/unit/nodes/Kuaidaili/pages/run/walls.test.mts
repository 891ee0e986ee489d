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
	[
		'WeChat',
		{
			body: page(
				'',
				'<div id="js_wx"></div>',
				'<script src="/mmbizwap:secitptpage/verify.html.js"></script>',
			),
		},
		{ status: 461, body: page('', '环境异常 当前环境异常，请完成验证') },
	],
	[
		'Cloudflare',
		{
			body: page(
				'Un instant…',
				'<div></div><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8"></script>',
			),
		},
		{
			status: 503,
			body: page(
				'',
				'<div class="cf-browser-verification">Checking your browser before accessing site.example</div>',
			),
		},
	],
	[
		'Tencent',
		{ body: page('安全验证', '<p>请完成安全验证</p>', script('new TencentCaptcha("1", done)')) },
		{
			status: 567,
			body: page(
				'',
				'<p>请拖动下方滑块</p><script src="https://turing.captcha.qcloud.com/TJCaptcha.js"></script>',
			),
		},
	],
	[
		'Aliyun',
		{
			body: `<!doctypehtml><html lang="zh-cn"><meta name="aliyun_waf_aa" content="0f1"><title>滑动验证页面</title><textarea id="renderData" style="display:none">{"l":"1"}</textarea><div>访问验证</div><p>别离开，为了更好的访问体验，请进行验证，通过后即可继续访问网页</p></html>`,
		},
		{
			status: 405,
			body: page('', script('location.replace("https://site.example/_____tmd_____/punish?x=1")')),
		},
	],
	[
		'Ruishu',
		{
			body: `<html><head><meta charset="utf-8"><script src="/a/b.js" r="m"></script>${script("$_ts=window['$_ts'];if(!$_ts)$_ts={};$_ts.nsd=1;")}</head><body><input type="hidden" id="x" value="y"></body></html>`,
		},
		{
			status: 412,
			body: `<html><head>${script("$_ts=window['$_ts'];$_ts.cd='q'")}</head><body></body></html>`,
		},
	],
	[
		'Douyin',
		{
			body: page(
				'',
				`Please wait...<p id="cs" class="eyJ2"></p><p id="wci" class="_wafchallengeid"></p>${script('// SlardarWAF')}`,
			),
		},
		{ status: 418, body: page('验证码中间页', '<div id="captcha_container"></div>') },
	],
	[
		'Douban',
		{ url: 'https://sec.douban.com/c?r=x', body: page('', '<form id="sec">载入中 ...</form>') },
		{
			status: 403,
			body: page('豆瓣 - 登录跳转页', '<p>有异常请求从你的 IP 发出，请 <a>登录</a> 使用豆瓣。</p>'),
		},
	],
	[
		'Meituan',
		{
			url: 'https://verify.meituan.com/v2/web/general_page?action=spiderindefence',
			body: page('验证中心', '<div id="root"></div>'),
		},
		{ status: 418, url: 'http://verify.meituan.com/v2/', body: '' },
	],
	[
		'Sogou',
		{
			url: 'https://weixin.sogou.com/antispider/?from=%2fweixin',
			body: page('搜狗搜索', '<p>用户您好</p><input name="c" id="seccodeInput">'),
		},
		{ status: 403, url: 'http://www.sogou.com/antispider/?m=1', body: '' },
	],
	[
		'Weibo',
		{ body: page('Sina Visitor System', '<span id="message"></span>') },
		{
			status: 405,
			url: 'https://passport.weibo.com/visitor/visitor?entry=miniblog&a=enter',
			body: page('', ''),
		},
	],
	[
		'AWS WAF',
		{
			body: page(
				'',
				'<div id="challenge-container"></div>',
				script('window.awsWafCookieDomainList = [];window.gokuProps = {"key":"A"};'),
			),
		},
		{
			status: 405,
			body: page('Human Verification', '', script('window.gokuProps = {};')),
		},
	],
	[
		'Amazon',
		{
			body: page(
				'Amazon.com',
				'<h4>Enter the characters you see below</h4><form method="get" action="/errors/validateCaptcha"><input name="field-keywords" type="text"></form>',
			),
		},
		{
			status: 503,
			body: page('Robot Check', '<p>Click the button', script('ue_sn = "opfcaptcha.amazon.de"')),
		},
	],
	[
		'Akamai',
		{ body: page('', '<div id="sec-if-cpt-container"><p>Powered and protected by</p></div>') },
		{
			status: 428,
			body: page('&nbsp;', script('xhr.open("POST", "/_sec/verify?provider=interstitial")')),
		},
	],
	[
		'Imperva',
		{
			body: '<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5074"></script><body></body></html>',
		},
		{
			status: 405,
			body: page(
				'',
				'<h1>Pardon Our Interruption...</h1><p>Something about your browser made us think you might be a bot.</p>',
				'<noscript><title>Pardon Our Interruption</title></noscript>',
			),
		},
	],
	[
		'Kasada',
		{
			body: page(
				'',
				`${script('window.KPSDK={};KPSDK.start=1')}<script src="/149e/2d20/ips.js?x=y"></script>`,
			),
		},
		{ status: 429, body: `<html><body>${script('window.KPSDK={};')}</body></html>` },
	],
	[
		'F5',
		{
			body: page(
				'Request Rejected',
				'The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 4045<br><a>[Go Back]</a>',
			),
		},
		{
			status: 202,
			body: `<html><head>${script('window["bobcmn"] = "1011";')}<script src="/TSPD/08?type=17"></script><noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 1.</noscript></head><body></body></html>`,
		},
	],
	[
		'Sucuri',
		{
			body: `<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript>${script("var sucuri_cloudproxy_js='',S='dj0n'")}</html>`,
		},
		{
			status: 403,
			body: page(
				'Sucuri WebSite Firewall - Access Denied',
				'<h2>Access Denied - Sucuri Website Firewall</h2><p>Block ID: GEO02</p>',
			),
		},
	],
	[
		'Yandex',
		{
			url: 'https://yandex.ru/showcaptcha?cc=1&retpath=x',
			body: page('Вы не робот?', '<form><input type="text"></form>'),
		},
		{ status: 302, headers: { 'x-yandex-captcha': 'captcha' }, body: '' },
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
	['a title', { body: page('京东验证', script('window.bp_bizid="JDR_shields"')) }],
	['a slider', { body: page('安全检查', '<p>亲，请拖动下方滑块到最右边</p>') }],
	['a frequency', { body: page('出错了', '<p>当前IP请求次数过多，请稍后再来</p>') }],
	['requests that came too fast', { body: page('', '<h1>您查询的频率过快，请休息一下</h1>') }],
	[
		'a frequency, with a field for what a picture shows',
		{
			body: page(
				'请输入验证码',
				'<p>访问过于频繁，本次访问需要输入验证码</p><img src="c.jpg"><input type="text" name="code"><button>提交</button>',
			),
		},
	],
	[
		'what has to be typed to go on',
		{ body: page('提示', '<p>请输入图中的验证码以继续访问</p><input name="code">') },
	],
	[
		'an attack',
		{
			status: 405,
			body: page(
				'405',
				'<p>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p><p>您的请求ID是: 2ff6</p>',
			),
		},
	],
	['a proof, as a text', { body: 'Are you a robot?', headers: { 'content-type': 'text/plain' } }],
	['a proof, in letters of full width', { body: page('', '<p>Ａｒｅ ｙｏｕ ａ ｒｏｂｏｔ？') }],
	['an address', { body: page('', '<h1>您的IP已被封禁，如有疑问请联系我们</h1>') }],
	['a machine', { body: page('天眼查校验', '<p>我们只是确认一下你不是机器人</p>') }],
	[
		'a proof for a company',
		{ body: page('', '<p>为了确认本次访问为正常用户行为，请您协助验证</p>') },
	],
	[
		'a box of hCaptcha',
		{
			body: page(
				'One more step',
				'<p>Please complete the captcha to continue</p><div class="h-captcha"></div>',
			),
		},
	],
	[
		'a box of Turnstile',
		{
			body: page(
				'site.example',
				'<p>Verify you are human by completing the action below.</p><div class="cf-turnstile"></div>',
			),
		},
	],
	[
		'a question',
		{
			body: page(
				'Robot or human?',
				"<p>Activate and hold the button to confirm that you're human.</p>",
			),
		},
	],
	['bots', { body: page("Making sure you're not a bot!", '<p>Loading...</p>') }],
	[
		'automated access',
		{ body: page('Sorry', '<p>Automated requests from your network were detected.</p>') },
	],
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
	...[
		'<script src="https://captcha.gtimg.com/TCaptcha.js"></script>',
		script('initGeetest({})'),
	].map((captcha): [string, Answer] => [
		'a form for one number with a captcha',
		{
			body: page('', `<form><input name="phone"><div>请完成安全验证后登录</div></form>${captcha}`),
		},
	]),
	[
		'such a form without a word',
		{ body: page('', `<form><input name="phone"></form>${script('initGeetest({})')}`) },
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
		'a page with the scripts by which F5, Kasada, Ruishu, and AWS watch',
		{
			body: page(
				'Library',
				`<p>Open from 9 to 5.</p>${script(`window["bobcmn"]="1";window.KPSDK={};$_ts=window['$_ts'];window.awsWafCookieDomainList=["site.example"]`)}<script src="/TSPD/08?type=17"></script><script src="https://a.edge.sdk.awswaf.com/challenge.js"></script>`,
			),
		},
	],
	[
		'a page for scripts whose policy names the hosts of DataDome',
		{
			body: page(
				'Shop',
				'<div id="app"></div>',
				'<meta http-equiv="Content-Security-Policy" content="frame-src *.captcha-delivery.com">',
			),
		},
	],
	[
		'a short page whose styles are for the box of PerimeterX',
		{ body: page('Shop', '<p>Shoes and hats.</p>', '<style>#px-captcha{width:10em}</style>') },
	],
	[
		'a short page with a script of Geetest for a button, about human resources',
		{
			body: page(
				'Jobs',
				`<p>Ask our human resources about robots.</p><button>Get the code</button>${script('initGeetest({})')}`,
			),
		},
	],
	[
		'a page of a login for all, which a script fills',
		{
			body: page(
				'统一身份认证平台',
				'<div id="app">统一身份认证平台</div><script src="https://turing.captcha.gtimg.com/TCaptcha.js"></script>',
			),
		},
	],
	[
		'an offer for a newsletter with a reCAPTCHA in a form',
		{
			body: page(
				'Shop',
				'<form><input type="email"><div class="g-recaptcha" data-sitekey="x"></div><p>Confirm that you are human</p></form><script src="https://www.google.com/recaptcha/api.js"></script>',
			),
		},
	],
	[
		'a log-in form that tells of too many attempts',
		{
			body: page(
				'登录',
				'<form><input name="user"><input type="password"><p class="hide">操作过于频繁，请稍后再试</p></form>',
			),
		},
	],
	[
		'a field that only programs fill in',
		{ body: page('News', "<p>Our letter.</p><p>Leave this field empty if you're human:</p>") },
	],
	['a page that is not there', { status: 404, body: page('404', '<p>您访问的页面不存在</p>') }],
	['a site that rests', { body: page('系统维护中', '<p>服务器繁忙，请稍后再试。</p>') }],
	['a page for members', { body: page('提示', '<p>您没有访问权限，请登录后继续访问。</p>') }],
	['a video', { body: page('视频', '<p>视频已被作者删除，无法访问。</p>') }],
	['a page that wants scripts', { body: page('App', '<p>Please enable JavaScript.</p>') }],
	[
		'a page that asks to verify an address',
		{ body: page('注册成功', '<p>请点击邮件中的链接完成邮箱验证。</p>') },
	],
	['a song', { body: page('Just a Moment by Nas', '<p>Lyrics of the song.</p>') }],
	[
		'a short page about a product that keeps attacks out',
		{ body: page('EdgeOne', '<p>Tencent EdgeOne blocks attacks: 拦截恶意请求。</p>') },
	],
	['parts of machines', { body: page('直线滑块', '<p>直线滑块、导轨，现货供应。验证码</p>') }],
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
