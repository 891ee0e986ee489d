import { STATUS_CODES } from 'node:http';
import {
	type Answer,
	COMMON_CODES,
	JSON_LAYOUT,
	Refusal,
	TooFast,
	writeAnswer,
} from '../answers/answer.mts';
import type { Endpoint, Service } from '../endpoints/endpoint.mts';
import {
	type CodeFault,
	type Disruption,
	type HtmlFault,
	isDisruption,
	momentOf,
	type Outcome,
	type RawFault,
	type StatusFault,
	type TwiceFault,
} from '../faults/fault.mts';
import type { CachedAnswers, Faults, TakenFaults } from '../faults/faults.mts';
import type { LoggedRequest, RequestLog } from '../requestLog.mts';
import { monotonicMs } from '../time/clock.mts';
import type { Call } from './call.mts';
import { type Ending, firstHalf, type Outgoing, pause } from './outgoing.mts';

/**
 * One call from admission to answer. A code that a test switched on comes where the service itself
 * would find the reason: after it has believed the caller, so a signature counts as used.
 */
async function perform(
	call: Call,
	endpoint: Endpoint,
	service: Service,
	codeFault: CodeFault | undefined,
	entry: LoggedRequest,
): Promise<Answer> {
	try {
		if (!endpoint.methods.includes(call.method)) throw COMMON_CODES.refusal(-106);
		const { secretId, rules, work } = endpoint.admit(call, service);

		const tooFast = service.limits.refusal(`${secretId} ${call.path}`, rules, call.arrival);
		if (tooFast !== undefined) throw new TooFast(tooFast, messageOf(tooFast, endpoint));

		if (codeFault && momentOf(codeFault) === 'before') return invented(codeFault, endpoint);
		const answer = await work();
		entry.workDone = answer.code === 0;
		return codeFault ? invented(codeFault, endpoint) : answer;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		entry.refusedByRateLimit = error instanceof TooFast;
		return error.toAnswer();
	}
}

function invented({ code, msg }: CodeFault, endpoint: Endpoint): Answer {
	return { code, msg: msg ?? messageOf(code, endpoint), data: '' };
}

function messageOf(code: number, endpoint: Endpoint): string {
	return endpoint.message(code) ?? COMMON_CODES.message(code) ?? '系统错误';
}

interface Surroundings {
	service: Service;
	cachedAnswers: CachedAnswers;
	/** Ends every wait when the sandbox closes. */
	closing: AbortSignal;
}

export interface Exchange {
	call: Call;
	endpoint: Endpoint;
	faults: TakenFaults;
	entry: LoggedRequest;
}

const DRIP_BYTES = 8;

const MAINTENANCE_PAGE =
	'<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>';

/** Does what one call to an endpoint asks for, or misbehaves as the faults demand. */
async function respond(exchange: Exchange, surroundings: Surroundings): Promise<Ending> {
	const { call, endpoint, faults, entry } = exchange;
	const { service, cachedAnswers, closing } = surroundings;
	const { outcome } = faults;
	entry.fault = outcome?.kind;

	await pause(faults.delayBeforeMs, closing);
	const disruption = outcome && isDisruption(outcome) ? outcome : undefined;
	if (disruption && momentOf(disruption) === 'before') return disrupt(disruption, exchange);

	const cache = outcome?.kind === 'cache' ? outcome : undefined;
	const cached = cache && cachedAnswers.get(cache, call);
	if (cached) return answered(cached, exchange);

	const codeFault = outcome?.kind === 'code' ? outcome : undefined;
	const answer = await perform(call, endpoint, service, codeFault, entry);
	entry.code = answer.code;
	await pause(faults.delayAfterMs, closing);
	if (disruption) return disrupt(disruption, exchange);

	const outgoing = written(answer, exchange);
	if (cache) cachedAnswers.keep(cache, call, outgoing);
	if (outcome?.kind !== 'halfBody') return answered(outgoing, exchange);
	if (outcome.promise !== 'full') {
		return answered({ ...outgoing, body: firstHalf(outgoing.body) }, exchange);
	}
	entry.status = outgoing.status;
	entry.outcome = 'cut';
	return { kind: 'halfAndCut', outgoing };
}

function disrupt(fault: Disruption, exchange: Exchange): Ending {
	switch (fault.kind) {
		case 'hang':
			exchange.entry.outcome = 'hung';
			return { kind: 'hang' };
		case 'cut':
			exchange.entry.outcome = 'cut';
			return { kind: 'cut', how: fault.how ?? 'end' };
		case 'status':
		case 'html':
		case 'raw':
			return answered(replacement(fault, exchange.call), exchange);
	}
}

function answered(page: Outgoing, { call, entry, faults }: Exchange): Ending {
	const { drip, dateOffsetSeconds } = faults;
	const outgoing = dateOffsetSeconds === 0 ? page : withDate(page, call, dateOffsetSeconds);
	entry.status = outgoing.status;
	entry.outcome = 'answered';
	return drip
		? { kind: 'slow', outgoing, ms: drip.ms, bytes: drip.bytes ?? DRIP_BYTES }
		: { kind: 'whole', outgoing };
}

function withDate(page: Outgoing, { serverTime }: Call, offsetSeconds: number): Outgoing {
	const date = new Date(serverTime.getTime() + offsetSeconds * 1000).toUTCString();
	return { ...page, headers: { ...page.headers, date } };
}

function written(answer: Answer, { call, endpoint }: Exchange): Outgoing {
	// Whether the common codes come in the format that was asked for is not documented
	const isCommon = COMMON_CODES.message(answer.code) !== undefined;
	const layout = isCommon ? JSON_LAYOUT : endpoint.layout(call.parameters);
	const { contentType, body } = writeAnswer(answer, layout);
	return page(call, 200, contentType, body);
}

function replacement(fault: StatusFault | HtmlFault | RawFault, call: Call): Outgoing {
	switch (fault.kind) {
		case 'html':
			return page(call, 200, 'text/html; charset=utf-8', fault.body ?? MAINTENANCE_PAGE);
		case 'raw':
			return page(call, 200, fault.contentType ?? 'text/plain; charset=utf-8', fault.body);
		case 'status':
			return statusPage(fault, call);
	}
}

function statusPage(fault: StatusFault, call: Call): Outgoing {
	const title = `${fault.status} ${STATUS_CODES[fault.status] ?? ''}`;
	const body =
		fault.body ?? `<html><head><title>${title}</title></head><body>${title}</body></html>`;
	const outgoing = page(call, fault.status, fault.contentType ?? 'text/html', body);
	if (fault.location !== undefined) outgoing.headers.location = fault.location;
	return outgoing;
}

function page(call: Call, status: number, contentType: string, body: string): Outgoing {
	const headers = { 'content-type': contentType, date: call.serverTime.toUTCString() };
	return { status, headers, body: Buffer.from(body) };
}

/** A request as it came in. */
export interface Arrival extends Omit<Call, 'number' | 'serverTime' | 'sentPath'> {
	/** By the clock of the sandbox. */
	time: Date;
}

export interface DeliveryParts extends Surroundings {
	log: RequestLog;
	faults: Faults;
}

interface Delivered {
	faults: TakenFaults;
	entry: LoggedRequest;
	ending: Ending;
}

/** Brings a request to its endpoint, once or, with a gateway on the way that repeats it, twice. */
export async function deliver(
	arrival: Arrival,
	endpoint: Endpoint,
	parts: DeliveryParts,
): Promise<Ending> {
	const first = await deliverOnce(arrival, 1, endpoint, parts);
	const { twice } = first.faults;
	if (!twice) return first.ending;

	// It goes on also when the caller has left, which nginx would do only if told so: the worst case.
	await pause(twice.gapMs ?? 0, parts.closing);
	const again = { ...arrival, time: parts.service.clock.now(), arrival: monotonicMs() };
	const second = await deliverOnce(again, 2, endpoint, parts);

	const [passedOn, dropped] = twice.answer === 'first' ? [first, second] : [second, first];
	if (dropped.entry.outcome === 'answered') dropped.entry.outcome = 'dropped';
	return passedOn.ending;
}

async function deliverOnce(
	arrival: Arrival,
	delivery: 1 | 2,
	endpoint: Endpoint,
	parts: DeliveryParts,
): Promise<Delivered> {
	const { path } = endpoint;
	const { log, service } = parts;
	const entry = log.open({ ...arrival, delivery });
	const taken = parts.faults.take({ ...arrival, path, delivery });
	const faults = { ...taken, outcome: taken.outcome ?? firstCut(taken.twice) };
	const call: Call = {
		...arrival,
		number: entry.number,
		path,
		sentPath: arrival.path,
		serverTime: new Date(service.clock.milliseconds()),
	};
	return { faults, entry, ending: await respond({ call, endpoint, faults, entry }, parts) };
}

/** Only the first one of two deliveries is told that there are two. */
function firstCut(twice: TwiceFault | undefined): Outcome | undefined {
	return twice?.cutFirst === undefined ? undefined : { kind: 'cut', when: twice.cutFirst };
}
