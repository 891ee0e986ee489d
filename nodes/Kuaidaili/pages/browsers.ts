import { headerOf, type Headers } from './pageRequest';

interface Browser {
	readonly userAgent: string;
	readonly accept: string;
	readonly languages: string;
	/** Client hints; only Chromium sends them. */
	readonly hints: Headers;
}

const CHROME_VERSION = 154;

function chromium(brand: string, platform: string, system: string, suffix = ''): Browser {
	const version = `v="${CHROME_VERSION}"`;
	return {
		userAgent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROME_VERSION}.0.0.0 Safari/537.36${suffix}`,
		accept:
			'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
		languages: 'zh-CN,zh;q=0.9,en;q=0.8',
		hints: {
			'sec-ch-ua': `"Chromium";${version}, "${brand}";${version}, "Not A(Brand";v="99"`,
			'sec-ch-ua-mobile': '?0',
			'sec-ch-ua-platform': `"${platform}"`,
		},
	};
}

const WINDOWS = 'Windows NT 10.0; Win64; x64';

/** Current browsers of computers, as they are in China: the same pages as whoever makes the workflow sees. */
const BROWSERS: readonly Browser[] = [
	chromium('Google Chrome', 'Windows', WINDOWS),
	chromium('Microsoft Edge', 'Windows', WINDOWS, ` Edg/${CHROME_VERSION}.0.0.0`),
	chromium('Google Chrome', 'macOS', 'Macintosh; Intel Mac OS X 10_15_7'),
	{
		userAgent: `Mozilla/5.0 (${WINDOWS}; rv:157.0) Gecko/20100101 Firefox/157.0`,
		accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
		languages: 'zh-CN,zh;q=0.8,zh-TW;q=0.7,zh-HK;q=0.5,en-US;q=0.3,en;q=0.2',
		hints: {},
	},
];

/** A request, as far as a browser's headers depend on it. */
interface BrowserRequest {
	readonly method: string;
	readonly url: string;
	/** What was typed goes before what a browser has by itself, whatever the case of its name. */
	readonly headers: Headers;
}

/** Where the request comes from, as the typed headers have it. */
function fetchSite({ method, url, headers }: BrowserRequest): string {
	const from = headerOf(headers, 'referer') ?? headerOf(headers, 'origin');
	if (from === undefined || !URL.canParse(from)) return method === 'POST' ? 'same-origin' : 'none';
	return new URL(from).origin === new URL(url).origin ? 'same-origin' : 'cross-site';
}

function ofBrowser({ accept, languages, hints, userAgent }: Browser, request: BrowserRequest) {
	const { method, url, headers } = request;
	const isSecure = url.startsWith('https:');
	const type = headerOf(headers, 'content-type') ?? '';
	// Scripts send what forms don't
	const isOfScript = method === 'POST' && !/^application\/x-www-form-urlencoded/i.test(type);
	return {
		...(isSecure && hints),
		...(isOfScript ? {} : { 'Upgrade-Insecure-Requests': '1' }),
		'User-Agent': userAgent,
		Accept: isOfScript ? '*/*' : accept,
		...(method === 'POST' && { Origin: new URL(url).origin }),
		...(isSecure && {
			'Sec-Fetch-Site': fetchSite(request),
			'Sec-Fetch-Mode': isOfScript ? 'cors' : 'navigate',
			...(isOfScript ? {} : { 'Sec-Fetch-User': '?1' }),
			'Sec-Fetch-Dest': isOfScript ? 'empty' : 'document',
		}),
		// Without an encoding that n8n's helper cannot unpack everywhere
		'Accept-Encoding': isSecure ? 'gzip, deflate, br' : 'gzip, deflate',
		'Accept-Language': languages,
	};
}

/** What any client may send beside a user agent that somebody typed: nothing that contradicts it. */
const OF_ANY: ReadonlySet<string> = new Set(['Accept', 'Accept-Encoding', 'Accept-Language']);

/**
 * All headers of a request.
 *
 * @param visitor the same number for the same browser
 */
export function browserHeaders(visitor: number, request: BrowserRequest): Headers {
	const typed = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
	const browser = BROWSERS[Math.abs(visitor) % BROWSERS.length];
	const own = Object.entries(ofBrowser(browser, request)).filter(
		([name]) => !typed.has(name.toLowerCase()) && (!typed.has('user-agent') || OF_ANY.has(name)),
	);
	return { ...Object.fromEntries(own), ...request.headers };
}
