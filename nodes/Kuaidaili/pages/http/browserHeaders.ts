import { headerOf, type PageRequest } from '../request/pageRequest';

const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MACOS = 'Macintosh; Intel Mac OS X 10_15_7';
const VERSION = 154;

/**
 * Current browsers of computers, as they are in China: a page looks as it does to whoever makes the workflow. Each is its
 * brand, its platform, and the parts of its user agent.
 */
const BROWSERS = [
	['Google Chrome', 'Windows', WINDOWS, ''],
	['Microsoft Edge', 'Windows', WINDOWS, ` Edg/${VERSION}.0.0.0`],
	['Google Chrome', 'macOS', MACOS, ''],
] as const;

/** The value of `Sec-Fetch-Site` that fits the typed headers. */
function fetchSite({ method, url, headers }: PageRequest): string {
	const from = headerOf(headers, 'referer') ?? headerOf(headers, 'origin');
	if (from === undefined || !URL.canParse(from)) return method === 'POST' ? 'same-origin' : 'none';
	return new URL(from).origin === new URL(url).origin ? 'same-origin' : 'cross-site';
}

/** The headers of a browser that shows a page, without cookies. */
function presetHeaders(identitySeed: number, request: PageRequest): PageRequest['headers'] {
	const [brand, platform, system, suffix] = BROWSERS[Math.abs(identitySeed) % BROWSERS.length];
	const { method, url, headers } = request;
	const isSecure = url.startsWith('https:');
	const type = headerOf(headers, 'content-type') ?? '';
	// Scripts send what forms don't
	const isScript = method === 'POST' && !/^application\/x-www-form-urlencoded/i.test(type);
	return {
		...(isSecure && {
			'sec-ch-ua': `"Chromium";v="${VERSION}", "${brand}";v="${VERSION}", "Not A(Brand";v="99"`,
			'sec-ch-ua-mobile': '?0',
			'sec-ch-ua-platform': `"${platform}"`,
		}),
		...(isScript ? {} : { 'Upgrade-Insecure-Requests': '1' }),
		'User-Agent': `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${VERSION}.0.0.0 Safari/537.36${suffix}`,
		Accept: isScript
			? '*/*'
			: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
		...(method === 'POST' && { Origin: new URL(url).origin }),
		...(isSecure && {
			'Sec-Fetch-Site': fetchSite(request),
			'Sec-Fetch-Mode': isScript ? 'cors' : 'navigate',
			...(isScript ? {} : { 'Sec-Fetch-User': '?1' }),
			'Sec-Fetch-Dest': isScript ? 'empty' : 'document',
		}),
		// Without an encoding that n8n's helper cannot unpack everywhere
		'Accept-Encoding': isSecure ? 'gzip, deflate, br' : 'gzip, deflate',
		'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
	};
}

/** Headers that contradict no user agent, so they are sent beside a typed one. */
const NEUTRAL_HEADERS: ReadonlySet<string> = new Set([
	'Accept',
	'Accept-Encoding',
	'Accept-Language',
]);

/**
 * All headers of a request but cookies. A typed header replaces the browser's, whatever the case of its name.
 *
 * @param identitySeed the same number for the same browser
 */
export function browserHeaders(identitySeed: number, request: PageRequest): PageRequest['headers'] {
	const typed = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
	const presets = Object.entries(presetHeaders(identitySeed, request)).filter(
		([name]) =>
			!typed.has(name.toLowerCase()) && (!typed.has('user-agent') || NEUTRAL_HEADERS.has(name)),
	);
	return { ...Object.fromEntries(presets), ...request.headers };
}
