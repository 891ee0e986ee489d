import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Call, HostName, Method } from '../calls/call.mts';
import type { Endpoint } from '../endpoints/endpoint.mts';
import type { Faults } from '../faults/faults.mts';
import type { RequestLog } from '../requestLog.mts';
import { monotonicMs } from '../time/monotonic.mts';
import { pathOf, readParameters } from './parameters.mts';
import { respond, type Surroundings } from './respond.mts';

interface HostParts extends Surroundings {
	name: HostName;
	endpoints: readonly Endpoint[];
	log: RequestLog;
	faults: Faults;
}

const METHODS: Method[] = ['GET', 'POST'];

/** One host name of the service, with the endpoints that live on it. */
export function createServiceHost(parts: HostParts): FastifyInstance {
	const { name, endpoints, log, faults, service, closing } = parts;
	const app = fastify({ exposeHeadRoutes: false, forceCloseConnections: true });
	const arrivals = new WeakMap<FastifyRequest, number>();

	app.addHook('onRequest', async (request) => {
		arrivals.set(request, monotonicMs());
	});

	// Only forms carry parameters: any other body, JSON for one, is read and ignored.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser(
		'application/x-www-form-urlencoded',
		{ parseAs: 'string' },
		(_request, body, done) => done(null, body),
	);
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null));

	for (const endpoint of endpoints.filter(({ hosts }) => hosts.includes(name))) {
		app.route({
			method: METHODS,
			url: endpoint.path,
			handler: (request, reply) => handle(endpoint, request, reply),
		});
	}

	// A path of another host, a trailing slash or a typing mistake. It is in the log all the same.
	app.setNotFoundHandler((request, reply) => {
		const { entry } = register(request);
		entry.status = 404;
		entry.outcome = 'answered';
		reply.code(404).type('text/html; charset=utf-8').send('<h1>Not Found</h1>');
	});

	return app;

	async function handle(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) {
		const { entry, parameters } = register(request);
		const taken = faults.take(name, endpoint.path);
		const call: Call = {
			host: name,
			method: methodOf(request),
			path: endpoint.path,
			parameters,
			clientAddress: request.ip,
			arrival: entry.arrival,
			serverTime: new Date(service.clock.milliseconds() + taken.clockOffsetSeconds * 1000),
		};
		try {
			await respond({ call, endpoint, faults: taken, entry, reply }, parts);
			return reply;
		} catch (error) {
			if (!closing.aborted) throw error;
			return reply.hijack();
		}
	}

	function register(request: FastifyRequest) {
		const parameters = readParameters(methodOf(request), request.url, request.body);
		const arrived = {
			time: service.clock.now(),
			arrival: arrivals.get(request) ?? monotonicMs(),
			host: name,
			method: request.method,
			path: pathOf(request.url),
		};
		return { parameters, entry: log.open(arrived, parameters) };
	}
}

function methodOf(request: FastifyRequest): Method {
	return request.method === 'POST' ? 'POST' : 'GET';
}
