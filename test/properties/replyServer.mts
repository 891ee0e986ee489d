import {
	type ScriptedCall,
	type ScriptedService,
	startScriptedService,
} from '../engine/support/scriptedService.mts';
import type { Reply } from './reply.mts';

/** A server that sends the very bytes that a case says. */
export interface ReplyServer extends Pick<ScriptedService, 'hosts' | 'close'> {
	/** What it sends from now on, by path; calls are counted anew. */
	answerWith(replies: ReadonlyMap<string, Reply>): void;
	readonly calls: ReadonlyArray<Pick<ScriptedCall, 'path' | 'parameters'>>;
}

const NOT_FOUND: Reply = { status: 404, headers: {}, body: Buffer.of(), cut: false, shown: '' };

export async function startReplyServer(): Promise<ReplyServer> {
	let replies: ReadonlyMap<string, Reply> = new Map();
	let counted = 0;
	const service = await startScriptedService(({ path }) => (response) => {
		const { status, headers, body, cut } = replies.get(path) ?? NOT_FOUND;
		// Node.js would tell the real time, and the node lives in a virtual one that runs ahead
		response.setHeader('date', new Date().toUTCString());
		response.writeHead(status, headers);
		if (!cut) response.end(body);
		else response.write(body, () => response.socket?.end());
	});
	return {
		hosts: service.hosts,
		answerWith(next) {
			replies = next;
			counted = service.calls.length;
		},
		get calls() {
			return service.calls.slice(counted);
		},
		close: service.close,
	};
}
