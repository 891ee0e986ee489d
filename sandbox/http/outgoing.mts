import { setMaxListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';

/** Waits, but not longer than the sandbox lives: then it throws. */
export async function pause(milliseconds: number, closing: AbortSignal): Promise<void> {
	if (milliseconds <= 0) return;
	closing.throwIfAborted();
	// Each request that waits is one
	setMaxListeners(0, closing);
	await new Promise<void>((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(closing.reason);
		};
		const timer = setTimeout(() => {
			closing.removeEventListener('abort', stop);
			resolve();
		}, milliseconds);
		closing.addEventListener('abort', stop, { once: true });
	});
}

/** An HTTP answer before it is sent. */
export interface Outgoing {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

/** How a call ends for whoever made it. */
export type Ending =
	| { kind: 'whole' | 'halfAndCut'; outgoing: Outgoing }
	| { kind: 'slow'; outgoing: Outgoing; ms: number; bytes: number }
	| { kind: 'cut'; how: 'end' | 'reset' }
	| { kind: 'hang' };

// Shorter answers get longer when they are packed.
const SHORTEST_TO_COMPRESS = 1024;

export async function conclude(
	reply: FastifyReply,
	ending: Ending,
	closing: AbortSignal,
): Promise<void> {
	switch (ending.kind) {
		case 'whole':
			return sendWhole(reply, ending.outgoing);
		case 'slow':
			return await sendSlowly(reply, ending.outgoing, ending, closing);
		case 'halfAndCut':
			return sendHalfAndCut(reply, ending.outgoing);
		case 'cut':
			return cutConnection(reply, ending.how);
		case 'hang':
			reply.hijack();
	}
}

function sendWhole(reply: FastifyReply, { status, headers, body }: Outgoing): void {
	const accepted = reply.request.headers['accept-encoding'] ?? '';
	reply.code(status).headers(headers);
	if (body.length >= SHORTEST_TO_COMPRESS && /\bgzip\b/.test(String(accepted))) {
		reply.header('content-encoding', 'gzip').send(gzipSync(body));
	} else {
		reply.send(body);
	}
}

async function sendSlowly(
	reply: FastifyReply,
	outgoing: Outgoing,
	pace: { ms: number; bytes: number },
	closing: AbortSignal,
): Promise<void> {
	const response = startRaw(reply, outgoing, outgoing.body.length);
	for (let start = 0; start < outgoing.body.length; start += pace.bytes) {
		await pause(pace.ms, closing);
		if (response.destroyed) return;
		response.write(outgoing.body.subarray(start, start + pace.bytes));
	}
	response.end();
}

/** Promises the whole body, sends half of it and ends the connection. */
function sendHalfAndCut(reply: FastifyReply, outgoing: Outgoing): void {
	const response = startRaw(reply, outgoing, outgoing.body.length);
	response.write(firstHalf(outgoing.body), () => response.destroy());
}

export function firstHalf(body: Buffer): Buffer {
	return body.subarray(0, Math.floor(body.length / 2));
}

function cutConnection(reply: FastifyReply, how: 'end' | 'reset'): void {
	reply.hijack();
	if (how === 'reset') reply.raw.socket?.resetAndDestroy();
	else reply.raw.destroy();
}

function startRaw(reply: FastifyReply, { status, headers }: Outgoing, length: number) {
	reply.hijack();
	return reply.raw.writeHead(status, { ...headers, 'content-length': String(length) });
}
