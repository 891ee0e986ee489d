import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { listenAsService, type ListeningService } from '../engine/support/listenAsService.mts';
import type { Reply } from './reply.mts';

export interface AnsweredCall {
	readonly path: string;
	readonly parameters: Readonly<Record<string, string>>;
}

/** A server that sends the very bytes that a case says. */
export interface ReplyServer extends ListeningService {
	/** What it sends from now on, by path; calls are counted anew. */
	answerWith(replies: ReadonlyMap<string, Reply>): void;
	readonly calls: readonly AnsweredCall[];
}

const NOT_FOUND: Reply = { status: 404, headers: {}, body: Buffer.of(), cut: false, shown: '' };

export async function startReplyServer(): Promise<ReplyServer> {
	let replies: ReadonlyMap<string, Reply> = new Map();
	let calls: AnsweredCall[] = [];
	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
		const form = new URLSearchParams(await text(request));
		calls.push({ path: pathname, parameters: Object.fromEntries([...searchParams, ...form]) });
		const { status, headers, body, cut } = replies.get(pathname) ?? NOT_FOUND;
		// Node.js would tell the real time, and the node lives in a virtual one that runs ahead
		response.setHeader('date', new Date().toUTCString());
		response.writeHead(status, headers);
		if (!cut) response.end(body);
		else response.write(body, () => response.socket?.end());
	});
	const { hosts, close } = await listenAsService(server);
	return {
		hosts,
		answerWith(next) {
			replies = next;
			calls = [];
		},
		get calls() {
			return calls;
		},
		close,
	};
}
