import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { closeAtEnd } from '../engine/closeAtEnd.mts';
import type { Reply } from './brokenAnswers.mts';

export interface AnsweredCall {
	readonly path: string;
	readonly parameters: Readonly<Record<string, string>>;
}

/** A server that sends the very bytes that a case says. */
export interface ReplyServer {
	readonly hosts: { baseUrl: string; dpsUrl: string; svipUrl: string; authUrl: string };
	/** What it sends from now on, by path; calls are counted anew. */
	answerWith(replies: ReadonlyMap<string, Reply>): void;
	readonly calls: readonly AnsweredCall[];
	close(): Promise<void>;
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
		response.writeHead(status, headers);
		if (!cut) response.end(body);
		else response.write(body, () => response.socket?.end());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	return {
		hosts: { baseUrl: origin, dpsUrl: origin, svipUrl: origin, authUrl: origin },
		answerWith(next) {
			replies = next;
			calls = [];
		},
		get calls() {
			return calls;
		},
		close: closeAtEnd(async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		}),
	};
}
