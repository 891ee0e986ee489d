import { parseHtml } from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';

export const pause = async () => {};

export const SHOP = 'https://shop.example/list/phones?page=2';

export async function pageOf(html: string, url = SHOP) {
	return await parseHtml(html, url, pause);
}

/** As Chinese shops have them: no end tags, pictures loaded late, texts in parts. */
export const LIST = `<!doctype html><html><head><meta charset="utf-8"><title>
	手机 - 数码商城 </title><base href="/mall/"><script>track("<p>")</script></head><body>
<nav><ul><li><a href="/">首页</a><li><a href="help#pay">帮助</a></ul></nav>
<h1>手机</h1>
<ul id="goods">
<li class="item"><a href="p/1.html"><img data-src="//img.example/1.jpg" src="data:image/gif;base64,R0" alt="手机甲"></a>
	<a class="name" href="p/1.html">手机甲 <em>128G</em></a><b class="price">价格：<i>1999</i>.00</b>元
<li class="item"><a class="name" href="p/2.html#reviews"> 手机乙 </a><b class="price">价格：<i>899</i></b>元
<li class="item"><a class="name" href="javascript:void(0)">手机丙</a><p hidden>缺货</p></ul>
<a href="?page=3">下一页</a> <a href="#top">顶部</a> <a href="mailto:a@shop.example">邮件</a>`;
