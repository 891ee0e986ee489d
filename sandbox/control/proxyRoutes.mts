import type { FastifyInstance } from 'fastify';
import { PROXY_DEATHS, type ProxyFault, type ProxyFaults } from '../forwarding/proxyFaults.mts';
import type { ProxyLog } from '../forwarding/proxyLog.mts';
import { isProxyStatus, PROXY_STATUSES } from '../forwarding/statuses.mts';
import { MalformedInput, toFields } from './input.mts';

/** What came to the proxies, and what makes them refuse. */
export function addProxyRoutes(app: FastifyInstance, log: ProxyLog, faults: ProxyFaults): void {
	app.get('/proxy-requests', () => log.entries());

	app.delete('/proxy-requests', (_request, reply) => {
		log.clear();
		reply.code(204).send();
	});

	app.get('/proxy-faults', () => faults.list());

	app.post('/proxy-faults', ({ body }) => {
		faults.add(readProxyFault(body));
		return faults.list();
	});

	app.delete('/proxy-faults', (_request, reply) => {
		faults.clear();
		reply.code(204).send();
	});
}

function readProxyFault(value: unknown): ProxyFault {
	const fields = toFields(value);
	const status = fields.optionalNumber('status');
	const dies = fields.optionalChoice('dies', PROXY_DEATHS);
	const afterBytes = fields.optionalNumber('afterBytes');
	const target = {
		orderId: fields.optionalText('orderId'),
		proxy: fields.optionalText('proxy'),
		everyNth: fields.optionalNumber('everyNth'),
		times: fields.optionalNumber('times'),
	};
	fields.nothingElse();
	if (dies !== undefined && status === undefined) return { ...target, dies, afterBytes };
	if (dies !== undefined || status === undefined) {
		throw new MalformedInput('A proxy fault has either a "status" or "dies"');
	}
	if (!isProxyStatus(status)) {
		throw new MalformedInput(`"status" must be one of: ${PROXY_STATUSES.join(', ')}`);
	}
	return { ...target, status };
}
