import fastify, { type FastifyInstance } from 'fastify';
import type { ReadyMadeKeys } from '../accounts/readyMade.mts';
import type { Store } from '../accounts/store.mts';
import type { Faults } from '../faults/faults.mts';
import { readFaults } from '../faults/readFault.mts';
import { PROXY_DEATHS, type ProxyFault, type ProxyFaults } from '../forwarding/proxyFaults.mts';
import type { ProxyLog } from '../forwarding/proxyLog.mts';
import { isProxyStatus, PROXY_STATUSES } from '../forwarding/statuses.mts';
import type { ExtractionLedger, Ledger } from '../orders/ledger.mts';
import type { Pages } from '../pages/pages.mts';
import { PAGE_ANSWERS, type PageFault } from '../pages/visits.mts';
import type { RequestLog } from '../requestLog.mts';
import type { Clock } from '../time/clock.mts';
import { MalformedInput, toFields } from './input.mts';
import { frontPage, timeline } from './texts.mts';

interface Kept {
	show: () => unknown;
	/** With DELETE. */
	clear: () => void;
	/** With POST, which shows what there is then. */
	add?: (body: unknown) => void;
}

/** What is kept for tests and readers, under one path. */
function addKept(app: FastifyInstance, path: string, { show, clear, add }: Kept): void {
	app.get(path, show);
	app.delete(path, (_request, reply) => {
		clear();
		reply.code(204).send();
	});
	if (!add) return;
	app.post(path, ({ body }) => {
		add(body);
		return show();
	});
}

function readPageFault(value: unknown): PageFault {
	const fields = toFields(value);
	const kind = fields.choice('kind', ['status', ...PAGE_ANSWERS] as const);
	const status = fields.optionalNumber('status');
	const target = {
		exit: fields.optionalText('exit'),
		proxy: fields.optionalText('proxy'),
		host: fields.optionalText('host'),
		path: fields.optionalText('path'),
		times: fields.optionalNumber('times'),
	};
	fields.nothingElse();
	if (kind !== 'status') {
		refuseStatus(status);
		return { ...target, kind };
	}
	if (status === undefined) throw new MalformedInput('"status" is missing');
	return { ...target, kind, status };
}

function refuseStatus(status: number | undefined): void {
	if (status === undefined) return;
	throw new MalformedInput('Only a fault of kind "status" has a "status"');
}

function readProxyFault(value: unknown): ProxyFault {
	const fields = toFields(value);
	const kind = fields.choice('kind', ['status', ...PROXY_DEATHS] as const);
	const status = fields.optionalNumber('status');
	const form = fields.optionalChoice('form', ['statusLine'] as const);
	const afterBytes = fields.optionalNumber('afterBytes');
	const target = {
		orderId: fields.optionalText('orderId'),
		proxy: fields.optionalText('proxy'),
		everyNth: fields.optionalNumber('everyNth'),
		times: fields.optionalNumber('times'),
	};
	fields.nothingElse();
	if (kind !== 'status') {
		refuseStatus(status);
		return { ...target, kind, afterBytes };
	}
	if (status === undefined || !isProxyStatus(status)) {
		throw new MalformedInput(`"status" must be one of: ${PROXY_STATUSES.join(', ')}`);
	}
	return { ...target, kind, status, form };
}

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

	const kept = (each: { entries: () => unknown; clear: () => void }): Kept => ({
		show: () => each.entries(),
		clear: () => each.clear(),
	});
	const switchedOn = (
		each: { list: () => unknown; clear: () => void },
		add: (body: unknown) => void,
	): Kept => ({ show: () => each.list(), clear: () => each.clear(), add });

	addKept(app, '/requests', kept(log));
	addKept(app, '/proxy-requests', kept(proxyLog));
	addKept(app, '/visits', kept(pages.visits));
	addKept(
		app,
		'/faults',
		switchedOn(faults, (body) => faults.add(...readFaults(body))),
	);
	addKept(
		app,
		'/proxy-faults',
		switchedOn(proxyFaults, (body) => proxyFaults.add(readProxyFault(body))),
	);
	addKept(
		app,
		'/page-faults',
		switchedOn(pages.faults, (body) => pages.faults.add(readPageFault(body))),
	);

	app.get('/pages', () => pages.open());

	app.get('/log', (_request, reply) => {
		reply
			.type('text/plain; charset=utf-8')
			.send(timeline(log.entries(), ledger.entries(), extractions.entries()));
	});

	// An order that was created over the API is used with the keys that are shown here.
	app.get('/orders', () =>
		store.orders.map(({ account, ...order }) => ({ ...order, account: account.keys.secretId })),
	);

	app.get('/accounts', () => store.accounts);

	app.get('/ledger', () => ledger.entries());

	app.get('/extractions', () => extractions.entries());

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
