/**
 * Short notices and news of Chinese sites, written for this project in layouts as offices, schools, hospitals, papers, and
 * companies have them: mostly `div`s that say nothing of what they hold. Words in capitals stand for what is around.
 */

const SENTENCES = [
	'根据年度工作安排，自十二月一日起对滨河路至东门桥的供水管道进行改造，预计工期为二十天。',
	'施工期间，沿线部分小区在夜间十点至次日清晨六点将暂停供水，请居民提前做好储水准备。',
	'如遇大雪等天气，工期相应顺延，具体时间另行公布，由此带来的不便敬请谅解。',
	'有关单位要加强现场管理，设置明显的警示标志，确保过往行人和车辆的安全。',
	'居民如有疑问，可以到社区服务站咨询，也可以在工作时间拨打服务热线，工作人员会及时答复。',
	'改造完成以后，管网漏损率有望下降三成，东部片区高层住户的水压也将明显改善。',
];
const CLOSING = '特此通知。';

const TITLE = '关于滨河路供水管道改造的通知';

function paragraphs(count: number, html: (text: string) => string = (text) => `<p>${text}</p>`) {
	return [...SENTENCES.slice(0, count), CLOSING].map(html).join('');
}

function links(count: number, word: string, html: (link: string) => string): string {
	const items = Array.from({ length: count }, (_, n) =>
		html(`<a href="/${word.toLowerCase()}/${n}.html">${word}栏目第${n}项</a>`),
	);
	return items.join('');
}

const li = (link: string) => `<li>${link}</li>`;
const MENU = `<ul>${links(8, 'MENU', li)}</ul>`;
const HOT = `<div class="rm"><h3>HOT热点新闻</h3><ul>${links(10, 'HOT', (link) => `<li>${link}，更多精彩内容点击查看</li>`)}</ul></div>`;
const FOOT = `<div class="bot"><p>主办：FOOT某某市人民政府办公室　承办：某某市信息中心</p><p>备案序号：某备00000000号　标识码：0000000000　电话：0000-0000000</p></div>`;
const CRUMB =
	'<div class="dqwz">当前位置：<a href="/">CRUMB首页</a> &gt; <a href="/tz/">通知公告</a></div>';
const info =
	'<div class="xx">发布时间：2026-11-29　来源：info办公室　浏览次数：<span>128</span></div>';

/** A page of an office, with its head and foot around. */
function office(content: string, title = `${TITLE}_某某市人民政府`): string {
	return `<!doctype html><html><head><title>${title}</title></head><body><div class="top"><div class="rq">今天是2026年11月29日 星期日 TOP欢迎您</div>${MENU}</div>${content}${FOOT}</body></html>`;
}

export interface ChineseNotice {
	readonly layout: string;
	readonly html: string;
	/** The sentences that must stay. */
	readonly sentences: readonly string[];
}

const notice = (layout: string, html: string, count: number): ChineseNotice => ({
	layout,
	html,
	sentences: [...SENTENCES.slice(0, count), CLOSING],
});

export const CHINESE_NOTICES: readonly ChineseNotice[] = [
	notice(
		'an editor of offices',
		office(
			`${CRUMB}<div class="con"><h1>${TITLE}</h1>${info}<div class="TRS_Editor">${paragraphs(4)}</div></div>`,
		),
		4,
	),
	notice(
		'a menu on the left',
		office(
			`<div class="wrap"><div class="left">${links(12, 'LEFT', (link) => `<div>${link}</div>`)}</div><div class="right">${CRUMB}<div class="bt">${TITLE}</div><div class="nr">${paragraphs(5)}</div></div></div>`,
		),
		5,
	),
	notice(
		'a layout of tables',
		office(
			`<table width="980"><tr><td width="200">${links(10, 'LEFT', (link) => `<table><tr><td>${link}</td></tr></table>`)}</td><td><table><tr><td align="center"><b>${TITLE}</b></td></tr><tr><td>${paragraphs(5, (text) => `　　${text}<br>`)}</td></tr></table></td></tr></table>`,
		),
		5,
	),
	notice(
		'news of a paper',
		office(
			`<div class="main w1000"><div class="l"><h1 class="tit">${TITLE}</h1>${info}<div id="artibody" class="art_con">${paragraphs(6)}</div><div class="zrbj">责任编辑：EDITOR</div></div><div class="r">${HOT}${HOT}</div></div>`,
		),
		6,
	),
	notice(
		'lines behind each other',
		office(
			`<div class="box">${CRUMB}<div class="title">${TITLE}</div><div class="content_text">${paragraphs(5, (text) => `&nbsp;&nbsp;&nbsp;&nbsp;${text}<br><br>`)}</div></div>${HOT}`,
		),
		5,
	),
	notice(
		'the form of a school',
		office(
			`<form name="_newscontent_fromname"><div><h1>${TITLE}</h1><div>时间：2026年11月29日 点击：info</div><div id="vsb_content"><div class="v_news_content">${paragraphs(5, (text) => `<p style="text-indent:2em"><span style="font-size:16px">${text}</span></p>`)}</div></div><p>上一条：<a href="/1.htm">PREVIOUS关于放假的通知</a></p><p>下一条：<a href="/2.htm">NEXT关于值班的通知</a></p></div></form>`,
		),
		5,
	),
	notice(
		'spans in sections',
		office(
			`<div class="detail"><div class="detail-h">${TITLE}</div><div class="detail-b">${paragraphs(5, (text) => `<section><section><span>${text}</span></section></section>`)}</div></div>${HOT}`,
		),
		5,
	),
	notice(
		'a text of three sentences',
		office(
			`${CRUMB}<div class="xl"><h2>${TITLE}</h2><div class="xl_nr">${paragraphs(3)}</div></div>`,
		),
		3,
	),
	notice(
		'files below the text',
		office(
			`${CRUMB}<div class="article_box"><div class="tt">${TITLE}</div><div class="txt">${paragraphs(5)}<p>附件：<a href="/f.doc">改造范围.doc</a></p></div></div><div class="fj">${links(8, 'LINKS', (link) => `<span>${link}</span>`)}</div>`,
		),
		5,
	),
	notice(
		'a signature and a date',
		office(
			`${CRUMB}<div class="nr"><div class="nr-t">${TITLE}</div><div class="nr-c"><div>各街道办事处：</div>${paragraphs(5, (text) => `<div>${text}</div>`)}<div style="text-align:right">某某市水务局</div><div style="text-align:right">2026年11月29日</div></div></div>`,
		),
		5,
	),
	notice(
		'buttons for the size of letters',
		office(
			`${CRUMB}<div class="view"><h1>${TITLE}</h1><div class="tools">字体：<a href="#">SIZE大</a> <a href="#">中</a> <a href="#">小</a> <a href="javascript:print()">打印</a></div><div class="view-text">${paragraphs(5)}</div><div class="bdsharebuttonbox">分享到：<a href="#">SHARE微信</a><a href="#">微博</a></div></div>`,
		),
		5,
	),
	notice(
		'related news below',
		office(
			`<div class="news"><div class="news_tit">${TITLE}</div>${info}<div class="news_txt">${paragraphs(6)}</div><div class="xgxw"><h3>RELATED相关新闻</h3><ul>${links(12, 'RELATED', li)}</ul></div></div>`,
		),
		6,
	),
	notice(
		'a hospital with its departments',
		office(
			`<div class="ks"><h3>科室导航</h3>${links(20, 'DEPARTMENT', (link) => `<div class="ks-i">${link}<p>DEPARTMENT门诊时间：周一至周五</p></div>`)}</div><div class="yy"><div class="yy-t">${TITLE}</div><div class="yy-c">${paragraphs(6)}</div></div>`,
		),
		6,
	),
	notice(
		'an announcement of a company',
		office(
			`<div class="stock"><ul>${links(6, 'STOCK', li)}</ul><div>STOCK最新价 12.30 涨跌 0.20</div></div><div class="gg"><h1>${TITLE}</h1><div class="gg-c">${paragraphs(6, (text) => `<p align="justify">　　${text}</p>`)}</div></div>${HOT}`,
			`${TITLE} - 某某网`,
		),
		6,
	),
	notice(
		'a page for telephones',
		`<!doctype html><html><head><title>${TITLE}</title></head><body><div id="app"><div class="hd"><a href="/">TOP首页</a><a href="/login">登录</a></div><div class="art"><div class="art-t">${TITLE}</div><div class="art-i">某某发布 11-29</div><div class="art-b">${paragraphs(5)}</div></div><div class="rec">${links(9, 'RECOMMENDED', (link) => `<div class="rec-i">${link}<span>128阅读</span></div>`)}</div></div></body></html>`,
		5,
	),
	notice(
		'a note of the editors behind the text',
		office(
			`<div class="c"><h1>${TITLE}</h1><div class="c-b">${paragraphs(6)}</div><div class="c-s"><p>FOOT免责声明：本文来自网络，不代表本站观点，如有侵权请联系删除。</p></div></div>${HOT}`,
		),
		6,
	),
	notice(
		'comments of readers',
		office(
			`<div class="c"><h1>${TITLE}</h1><div class="post_body">${paragraphs(6)}</div></div><div class="pl"><h3>COMMENTS网友评论</h3>${Array.from({ length: 3 }, () => '<div class="pl-i"><b>READER用户</b><div>支持改造，早就该换了。</div></div>').join('')}</div>${HOT}`,
		),
		6,
	),
	notice(
		'two columns of news around',
		office(
			`<div class="col1">${HOT}</div><div class="col2"><p class="h">${TITLE}</p>${paragraphs(6)}</div><div class="col3">${HOT}</div>`,
		),
		6,
	),
	notice(
		'paragraphs with classes',
		office(
			`<div class="mid"><div class="mid-l"><div class="bt1">${TITLE}</div><div class="zw">${paragraphs(5, (text) => `<p class="MsoNormal"><font face="宋体">${text}</font></p>`)}</div></div><div class="mid-r">${links(15, 'RIGHT', (link) => `<p>${link}</p>`)}</div></div>`,
		),
		5,
	),
	notice(
		'a poll and a search beside',
		office(
			`<div class="s"><div>SEARCH请输入关键字 <input> <button>搜索</button></div><div>SEARCH热门搜索：<a href="/s/1">社保</a> <a href="/s/2">公积金</a></div></div><div class="d"><h3>${TITLE}</h3><div class="d-c">${paragraphs(4)}</div></div><div class="v">VOTE您对本站满意吗？<label><input type="radio">满意</label><label><input type="radio">不满意</label></div>`,
		),
		4,
	),
];
