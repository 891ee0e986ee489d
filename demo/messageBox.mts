import fastify from 'fastify';
import { at } from '../harness/outsideData.mts';
import { onShutdown } from '../scripts/shutdown.mjs';

/** The chat services whose format a message can have. */
export const CHATS = ['slack', 'wecom', 'dingtalk', 'feishu'] as const;
export type Chat = (typeof CHATS)[number];

/** Stands for the chat services of the examples: keeps what it accepts, and refuses as they do. */
export interface MessageBox {
	/** Where messages are sent to, in the format that most services take. */
	readonly url: string;
	readonly urls: Readonly<Record<Chat, string>>;
	/** The accepted texts, in the order in which they came. */
	readonly texts: readonly string[];
}

interface Answer {
	readonly status: number;
	readonly body: object | string;
	/** Of an accepted message. */
	readonly text?: string;
}

/** Of a bot that admits only messages with this word. */
const KEYWORD = 'Kuaidaili';
const MOST_BYTES_OF_WECOM = 2048;

const refusal = (body: object | string, status = 200): Answer => ({ status, body });

/** As each service documents it: all but Slack refuse with the HTTP status 200. */
const JUDGE: Readonly<Record<Chat, (body: unknown) => Answer>> = {
	slack(body) {
		const text = at(body, 'text');
		if (typeof text !== 'string' || text === '') return refusal('no_text', 400);
		return { status: 200, body: 'ok', text };
	},
	wecom(body) {
		const text = at(body, 'text', 'content');
		if (at(body, 'msgtype') !== 'text' || typeof text !== 'string') {
			return refusal({ errcode: 40008, errmsg: 'invalid message type' });
		}
		if (Buffer.byteLength(text) > MOST_BYTES_OF_WECOM) {
			return refusal({ errcode: 45002, errmsg: 'content size out of limit' });
		}
		return { status: 200, body: { errcode: 0, errmsg: 'ok' }, text };
	},
	dingtalk(body) {
		const text = at(body, 'text', 'content');
		if (at(body, 'msgtype') !== 'text' || typeof text !== 'string') {
			return refusal({ errcode: 40035, errmsg: 'the parameter is missing' });
		}
		if (!text.includes(KEYWORD)) {
			return refusal({ errcode: 310000, errmsg: 'keywords not in content' });
		}
		return { status: 200, body: { errcode: 0, errmsg: 'ok' }, text };
	},
	feishu(body) {
		const text = at(body, 'content', 'text');
		if (at(body, 'msg_type') !== 'text' || typeof text !== 'string') {
			return refusal({ code: 9499, msg: 'Bad Request', data: {} });
		}
		if (!text.includes(KEYWORD)) return refusal({ code: 19024, msg: 'Key Words Not Found' });
		return { status: 200, body: { code: 0, msg: 'success', data: {} }, text };
	},
};

export async function openMessageBox(): Promise<MessageBox> {
	const texts: string[] = [];
	const app = fastify({ forceCloseConnections: true });
	for (const chat of CHATS) {
		app.post(`/${chat}`, async (request, reply) => {
			const { status, body, text } = JUDGE[chat](request.body);
			if (text !== undefined) texts.push(text);
			return await reply.code(status).send(body);
		});
	}
	const address = await app.listen({ host: '127.0.0.1', port: 0 });
	onShutdown(() => app.close());
	const urls: Record<Chat, string> = {
		slack: `${address}/slack`,
		wecom: `${address}/wecom`,
		dingtalk: `${address}/dingtalk`,
		feishu: `${address}/feishu`,
	};
	return { url: urls.slack, urls, texts };
}
