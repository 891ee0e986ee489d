import { createServer, type ServerResponse } from 'node:http';

import { API } from './api.mts';
import { listenAsService, type ListeningService } from './listenAsService.mts';

export const ORDERS = '/api/createorder';

export interface BrokenCall {
	/** Among the calls of the same path; the first one is 0. */
	index: number;
	parameters: Record<string, string>;
	/** Milliseconds since 1970. */
	arrival: number;
	/** Among the calls of all services. */
	number: number;
}

let calls = 0;

type Answer = (response: ServerResponse, call: BrokenCall) => void;

/** A server whose answers may break below HTTP, which those of the scripted service cannot. */
export interface BrokenService extends ListeningService {
	/** What came to createorder. */
	orders: readonly BrokenCall[];
	/** What came to each path, as it was written. */
	calls: Readonly<Record<string, readonly BrokenCall[]>>;
}

export async function startBrokenService(
	answer: Answer,
	answerToken: Answer = giveToken,
): Promise<BrokenService> {
	const received: Record<string, BrokenCall[]> = { [ORDERS]: [], [API.get_secret_token]: [] };
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
		const ofPath = (received[pathname] ??= []);
		const call: BrokenCall = {
			index: ofPath.length,
			parameters: Object.fromEntries(searchParams),
			arrival: Date.now(),
			number: calls++,
		};
		ofPath.push(call);
		(pathname === API.get_secret_token ? answerToken : answer)(response, call);
	});
	const { hosts, close } = await listenAsService(server);
	return {
		hosts,
		orders: received[ORDERS],
		calls: received,
		close,
	};
}

/** What a service may say: an answer in its envelope. */
export function envelope(code: number, msg: string, data: unknown = ''): string {
	return JSON.stringify({ code, msg, data });
}

/** The order number differs from call to call, also of different services: no two orders have the same. */
export function orderNumber({ number }: Pick<BrokenCall, 'number'>): string {
	return String(965102959536478 + number);
}

export const sell: Answer = (response, call) => {
	response.end(envelope(0, '', { orderid: orderNumber(call) }));
};

export const giveToken: Answer = (response) => {
	response.end(envelope(0, '', { secret_token: 'token0n0g59h7wcdyvz2uo68ph2s', expire: 3600 }));
};

export const hangUp: Answer = (response) => {
	response.destroy();
};

/** A 401 that ends before its body does. n8n's helper takes it for a rejected signature. */
export const cutUnauthorized: Answer = (response) => {
	response.writeHead(401, { 'content-length': '100' }).write('partial');
	setTimeout(() => response.destroy(), 30);
};

/** A 401 whose body cannot be decoded. */
export const undecodableUnauthorized: Answer = (response) => {
	response.writeHead(401, { 'content-encoding': 'gzip' }).end('not gzip');
};
