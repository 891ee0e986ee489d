import fastify, { type FastifyInstance } from 'fastify';
import { addManyOrders } from '../accounts/manyOrders.mts';
import type { ReadyMadeKeys } from '../accounts/readyMade.mts';
import type { Store } from '../accounts/store.mts';
import type { ExtractionLedger } from '../extraction/extractionLedger.mts';
import type { Faults } from '../faults/faults.mts';
import { readFaults } from '../faults/readFault.mts';
import type { ProxyFaults } from '../forwarding/proxyFaults.mts';
import type { ProxyLog } from '../forwarding/proxyLog.mts';
import type { Pages } from '../pages/pages.mts';
import type { RequestLog } from '../requestLog.mts';
import type { Ledger } from '../orders/ledger.mts';
import type { Clock } from '../time/clock.mts';
import { frontPage } from './frontPage.mts';
import { MalformedInput, toFields } from './input.mts';
import { addPageControls } from './pageControls.mts';
import { addProxyRoutes } from './proxyRoutes.mts';
import { readManyOrders } from './readManyOrders.mts';
import { timeline } from './timeline.mts';

interface ControlParts {
	log: RequestLog;
	ledger: Ledger;
	extractions: ExtractionLedger;
	store: Store;
	faults: Faults;
	clock: Clock;
	keys: ReadyMadeKeys;
	proxyLog: ProxyLog;
	proxyFaults: ProxyFaults;
	pages: Pages;
}

/** What is not the service: the levers of the sandbox, and a page to visit through a proxy. */
export function createControlHost(parts: ControlParts): FastifyInstance {
	const { log, ledger, extractions, store, faults, clock, keys, proxyLog, proxyFaults, pages } =
		parts;
	const app = fastify({ forceCloseConnections: true });

	app.setErrorHandler((error, _request, reply) => {
		const status = error instanceof MalformedInput ? 400 : 500;
		const message = error instanceof Error ? error.message : 'Something went wrong';
		reply.code(status).send({ message });
	});

	app.get('/', (_request, reply) => {
		reply.type('text/plain; charset=utf-8').send(frontPage(keys));
	});

	// Through a forward proxy this is the proxy's address, not the visitor's.
	app.get('/ip', ({ socket }) => ({ address: socket.remoteAddress, port: socket.remotePort }));

	addProxyRoutes(app, proxyLog, proxyFaults);
	addPageControls(app, pages);

	app.get('/requests', () => log.entries());

	app.delete('/requests', (_request, reply) => {
		log.clear();
		reply.code(204).send();
	});

	app.get('/log', (_request, reply) => {
		reply
			.type('text/plain; charset=utf-8')
			.send(timeline(log.entries(), ledger.entries(), extractions.entries()));
	});

	// An order that was created over the API is used with the keys that are shown here.
	app.get('/orders', () =>
		store.orders.map(({ account, ...order }) => ({ ...order, account: account.keys.secretId })),
	);

	app.post('/orders', ({ body }) => {
		const account = store.account(keys.account.secretId);
		const added = addManyOrders(store, account, clock.now(), readManyOrders(body));
		return { added: added.length };
	});

	app.get('/accounts', () => store.accounts);

	app.get('/ledger', () => ledger.entries());

	app.get('/extractions', () => extractions.entries());

	app.get('/faults', () => faults.list());

	app.post('/faults', ({ body }) => {
		faults.add(...readFaults(body));
		return faults.list();
	});

	app.delete('/faults', (_request, reply) => {
		faults.clear();
		reply.code(204).send();
	});

	app.get('/clock', () => ({ now: clock.now() }));

	app.post('/clock', ({ body }) => {
		const fields = toFields(body);
		const date = fields.optionalDate('set');
		const milliseconds = fields.optionalNumber('advanceMs');
		fields.nothingElse();
		if (date) clock.set(date);
		clock.advance(milliseconds ?? 0);
		return { now: clock.now() };
	});

	return app;
}
