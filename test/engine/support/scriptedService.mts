import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { listenAsService, type ListeningService } from './listenAsService.mts';

export interface ScriptedCall {
	/** The first one is 0. */
	index: number;
	path: string;
	/** As it arrived, with the query. */
	url: string;
	parameters: Record<string, string>;
	headers: NodeJS.Dict<string | string[]>;
	/** In milliseconds that never jump. */
	arrival: number;
}

export interface ScriptedAnswer {
	status?: number;
	headers?: Record<string, string>;
	body: string | Buffer;
}

/**
 * A server that answers as a test says, for answers that the sandbox, being right, cannot give. It
 * checks neither signatures nor pace.
 */
export interface ScriptedService extends ListeningService {
	calls: readonly ScriptedCall[];
}

export async function startScriptedService(
	answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedService> {
	const calls: ScriptedCall[] = [];
	const server = createServer(async (request, response) => {
		const arrival = performance.now();
		const url = request.url ?? '/';
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		const form = new URLSearchParams(await text(request));
		const call: ScriptedCall = {
			index: calls.length,
			path: pathname,
			url,
			parameters: Object.fromEntries([...searchParams, ...form]),
			headers: request.headers,
			arrival,
		};
		calls.push(call);
		const { status = 200, headers, body } = await answer(call);
		response
			.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
			.end(body);
	});
	const { hosts, close } = await listenAsService(server);
	return {
		hosts,
		calls,
		close,
	};
}

/** A success of getproxy as JSON. */
export function listAnswer(proxies: readonly string[]): ScriptedAnswer {
	const data = { count: proxies.length, proxy_list: proxies };
	return { body: JSON.stringify({ msg: '', code: 0, data }) };
}

/** `count` different addresses, from the given one on. */
export function addresses(first: number, count: number): string[] {
	return Array.from({ length: count }, (_, index) => {
		const number = first + index;
		return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}:8000`;
	});
}
