import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Departures } from '../forwarding/targetConnections.mts';
import { monotonicMs } from '../time/clock.mts';
import { CAPTCHA, short } from './bodies.mts';
import { CERTIFICATE, KEY } from './certificate.mts';
import { addLoginRoutes } from './logins.mts';
import { PageFaults, type PageAnswer, Visits, type Visit } from './visits.mts';
import { addPageRoutes, cutShort, resetConnection } from './pageRoutes.mts';

const pack = promisify(gzip);

// Shorter answers get longer when they are packed.
const SHORTEST_TO_COMPRESS = 1024;

/** Free ports by default. */
export interface PagePorts {
	http?: number;
	https?: number;
}

/**
 * Web sites on loopback, the same over http and https. The proxies of the sandbox reach them under
 * 127.0.0.1, localhost, and every name that ends with `.localhost`; the certificate is good for those
 * of `certificate.mts`.
 */
export class Pages {
	readonly visits = new Visits();
	readonly faults = new PageFaults();
	private readonly closing = new AbortController();
	private opened: Promise<readonly [plain: string, secure: string]> | undefined;
	private readonly apps: FastifyInstance[] = [];
	private readonly visitOf = new WeakMap<FastifyRequest, Visit>();

	constructor(private readonly departures: Departures) {}

	/** The addresses under 127.0.0.1; from the second call on, those of the first. */
	async open(ports: PagePorts = {}): Promise<{ http: string; https: string }> {
		this.opened ??= Promise.all([this.start(false, ports.http), this.start(true, ports.https)]);
		const [http, https] = await this.opened;
		return { http, https };
	}

	async close(): Promise<void> {
		this.closing.abort();
		await this.opened?.catch(() => undefined);
		await Promise.all(this.apps.map((app) => app.close()));
	}

	private async start(isSecure: boolean, port = 0): Promise<string> {
		const scheme = isSecure ? 'https' : 'http';
		const app = fastify({
			forceCloseConnections: true,
			serverFactory: (handler) =>
				isSecure ? createHttps({ cert: CERTIFICATE, key: KEY }, handler) : createHttp(handler),
		});
		this.apps.push(app);
		app.removeAllContentTypeParsers();
		app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
			done(null, body),
		);
		app.addHook('onRequest', async (request, reply) => {
			const answer = this.receive(scheme, request, reply);
			if (answer) return answerInstead(answer, reply);
		});
		app.addHook('onSend', async (request, reply, payload) => compressed(request, reply, payload));
		addPageRoutes(app, this.closing.signal);
		addLoginRoutes(app, (request) => this.visitOf.get(request)?.through);
		const { host } = new URL(await app.listen({ host: '127.0.0.1', port }));
		return `${scheme}://${host}`;
	}

	private receive(
		scheme: string,
		request: FastifyRequest,
		reply: FastifyReply,
	): PageAnswer | undefined {
		const { method, headers, host, url, raw } = request;
		const visit = this.visits.add({
			...{ method, headers, url: `${scheme}://${host}${url}` },
			through: this.departures.of(raw.socket),
			startedAt: monotonicMs(),
		});
		this.visitOf.set(request, visit);
		reply.raw.once('close', () => {
			visit.endedAt = monotonicMs();
			visit.outcome = reply.raw.writableFinished ? 'answered' : 'left';
			if (reply.raw.headersSent) visit.status = reply.raw.statusCode;
		});
		return this.faults.take(visit);
	}
}

function answerInstead(instead: PageAnswer, reply: FastifyReply): FastifyReply {
	reply.type('text/html; charset=utf-8');
	switch (instead.kind) {
		case 'status':
			return reply
				.code(instead.status)
				.send(short(`Status ${instead.status}`, 'Your visit was refused.'));
		case 'redirect':
			return reply.redirect(instead.location);
		case 'html':
			return reply.send(instead.body);
		case 'captcha':
			return reply.send(CAPTCHA);
		case 'verify':
			return reply.redirect('/verify');
		case 'empty':
			return reply.send('');
		case 'hang':
			return reply.hijack();
		case 'reset':
			resetConnection(reply);
			return reply;
		case 'halfBody':
			cutShort(reply);
			return reply;
	}
}

async function compressed(
	{ headers }: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
): Promise<unknown> {
	const isAccepted = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
	if (!isAccepted || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
	if (payload.length < SHORTEST_TO_COMPRESS) return payload;
	reply.header('content-encoding', 'gzip').removeHeader('content-length');
	return await pack(payload);
}
