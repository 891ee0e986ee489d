import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type HostName, type Method, pathOf, readParameters } from './call.mts';
import type { Endpoint } from '../endpoints/endpoint.mts';
import { monotonicMs } from '../time/clock.mts';
import { deliver, type Arrival, type DeliveryParts } from './deliver.mts';
import { conclude } from './outgoing.mts';

interface HostParts extends DeliveryParts {
	name: HostName;
	endpoints: readonly Endpoint[];
}

const METHODS: Method[] = ['GET', 'POST'];

/** One host name of the service, with the endpoints that live on it. */
export function createServiceHost(parts: HostParts): FastifyInstance {
	const { name, endpoints, log, service, closing } = parts;
	const app = fastify({
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		// Links of the member center and the service's own client end with one
		routerOptions: { ignoreTrailingSlash: true },
	});
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

	// A path of another host or a typing mistake. It is in the log all the same.
	app.setNotFoundHandler((request, reply) => {
		const entry = log.open({ ...arrivalOf(request), method: request.method, delivery: 1 });
		entry.status = 404;
		entry.outcome = 'answered';
		reply.code(404).type('text/html; charset=utf-8').send('<h1>Not Found</h1>');
	});

	return app;

	async function handle(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) {
		try {
			await conclude(reply, await deliver(arrivalOf(request), endpoint, parts), closing);
			return reply;
		} catch (error) {
			if (!closing.aborted) throw error;
			return reply.hijack();
		}
	}

	function arrivalOf(request: FastifyRequest): Arrival {
		const method = methodOf(request);
		return {
			time: service.clock.now(),
			arrival: arrivals.get(request) ?? monotonicMs(),
			host: name,
			method,
			path: pathOf(request.url),
			parameters: readParameters(method, request.url, request.body),
			clientAddress: service.settings.clientAddress ?? request.ip,
		};
	}
}

function methodOf(request: FastifyRequest): Method {
	return request.method === 'POST' ? 'POST' : 'GET';
}
