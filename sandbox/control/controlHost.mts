import fastify, { type FastifyInstance } from 'fastify';
import type { ExtractionLedger, Ledger } from '../orders/ledger.mts';
import type { RequestLog } from '../requestLog.mts';
import { timeline } from './timeline.mts';

interface ControlParts {
	log: RequestLog;
	ledger: Ledger;
	extractions: ExtractionLedger;
}

/** What is not the service: what happened so far. */
export function createControlHost({ log, ledger, extractions }: ControlParts): FastifyInstance {
	const app = fastify({ forceCloseConnections: true });
	app.get('/log', (_request, reply) => {
		reply
			.type('text/plain; charset=utf-8')
			.send(timeline(log.entries(), ledger.entries(), extractions.entries()));
	});
	return app;
}
