import type { Answer } from '../operations/index.mts';

/** What a server sends, down to the bytes. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
	/** Whether the connection ends after the body, whatever length was promised. */
	readonly cut: boolean;
	/** For messages about the case. */
	readonly shown: string;
}

export function reply(shown: string, body: string | Buffer, more: Partial<Reply> = {}): Reply {
	const bytes = typeof body === 'string' ? Buffer.from(body) : body;
	return { status: 200, headers: {}, cut: false, ...more, body: bytes, shown };
}

/** A body that the service sends when nothing is wrong. */
export function asReply(body: string): Reply {
	return reply('right', body);
}

export function escapeXml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function listOf({ data }: Answer): string[] {
	const list: unknown =
		typeof data === 'object' && data !== null && Reflect.get(data, 'proxy_list');
	if (!Array.isArray(list)) throw new Error('There is no list of proxies');
	return list.map(String);
}

/** The answer that is right, as the service writes it. */
export function rightBody(answer: Answer): string {
	const { msg = '', data, format } = answer;
	if (format === 'text') return listOf(answer).join('\r\n');
	if (format !== 'xml') return JSON.stringify({ msg, code: 0, data });
	const entries = listOf(answer);
	const proxies = entries.map((entry) => `<proxy>${escapeXml(entry)}</proxy>`).join('\n');
	return `<result>\n<code>0</code>\n<msg></msg>\n<data>\n<count>${entries.length}</count>\n<proxy_list>\n${proxies}\n</proxy_list>\n</data>\n</result>`;
}

export const GZIPPED = { 'content-encoding': 'gzip' };
