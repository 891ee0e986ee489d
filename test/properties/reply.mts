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
	return JSON.stringify({ msg, code: 0, data });
}

export const GZIPPED = { 'content-encoding': 'gzip' };
