import { STATUS_CODES } from 'node:http';
import type { Answer } from '../answers/answer.mts';
import { isCommonCode } from '../answers/commonCodes.mts';
import { JSON_LAYOUT, writeAnswer } from '../answers/layout.mts';
import type { Call } from '../calls/call.mts';
import { perform } from '../calls/perform.mts';
import type { Endpoint, Service } from '../endpoints/endpoint.mts';
import type { CachedAnswers } from '../faults/cachedAnswers.mts';
import {
	isDisruption,
	momentOf,
	type Disruption,
	type HtmlFault,
	type RawFault,
	type StatusFault,
} from '../faults/fault.mts';
import type { TakenFaults } from '../faults/faults.mts';
import type { LoggedRequest } from '../requestLog.mts';
import { firstHalf, type Ending, type Outgoing } from './outgoing.mts';
import { pause } from './pause.mts';

export interface Surroundings {
	service: Service;
	/** Whether the common codes come in the format that was asked for is not documented. */
	commonErrorFormat: 'json' | 'format';
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
export async function respond(exchange: Exchange, surroundings: Surroundings): Promise<Ending> {
	const { call, endpoint, faults, entry } = exchange;
	const { service, commonErrorFormat, cachedAnswers, closing } = surroundings;
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

	const outgoing = written(answer, exchange, commonErrorFormat);
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

function written(
	answer: Answer,
	{ call, endpoint }: Exchange,
	commonErrorFormat: Surroundings['commonErrorFormat'],
): Outgoing {
	const alwaysJson = commonErrorFormat === 'json' && isCommonCode(answer.code);
	const layout = alwaysJson ? JSON_LAYOUT : endpoint.layout(call.parameters);
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
	if (fault.retryAfter !== undefined) outgoing.headers['retry-after'] = fault.retryAfter;
	if (fault.location !== undefined) outgoing.headers.location = fault.location;
	return outgoing;
}

function page(call: Call, status: number, contentType: string, body: string): Outgoing {
	const headers = { 'content-type': contentType, date: call.serverTime.toUTCString() };
	return { status, headers, body: Buffer.from(body) };
}
