import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { everyHost } from '../../../harness/credentials.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { closeAtEnd } from './closeAtEnd.mts';

export interface ScriptedCall {
	/** The first one of the service is 0. */
	index: number;
	/** The same among the calls to its path. */
	nth: number;
	/** A number that no call of another service has. */
	number: number;
	path: string;
	/** As it arrived, with the query. */
	url: string;
	parameters: Record<string, string>;
	headers: NodeJS.Dict<string | string[]>;
	/** In milliseconds that never jump. */
	arrival: number;
	/** In milliseconds since 1970. */
	arrivalTime: number;
}

export interface WholeAnswer {
	/** 200 by default. */
	status?: number;
	headers?: Record<string, string>;
	body: string | Buffer;
}

/** A whole answer, or one that breaks below HTTP. */
export type ScriptedAnswer = WholeAnswer | ((response: ServerResponse) => void);

/**
 * A server on loopback that stands for every host of the service and answers as a test says, for answers that the
 * sandbox, being right, cannot give. It checks neither signatures nor pace.
 */
export interface ScriptedService {
	readonly hosts: Sandbox['hosts'];
	readonly calls: readonly ScriptedCall[];
	/** Calls to one path. */
	callsTo(path: string): readonly ScriptedCall[];
	/** Ends open connections, too; called after the last test in any case. */
	close(): Promise<void>;
}

let callsOfAll = 0;

export async function startScriptedService(
	answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedService> {
	const calls: ScriptedCall[] = [];
	const callsTo = (path: string) => calls.filter((call) => call.path === path);
	const server = createServer(async (request, response) => {
		const [arrival, arrivalTime] = [performance.now(), Date.now()];
		const url = request.url ?? '/';
		const { pathname: path, searchParams } = new URL(url, 'http://localhost');
		const form = new URLSearchParams(await text(request));
		const call: ScriptedCall = {
			index: calls.length,
			nth: callsTo(path).length,
			number: callsOfAll++,
			path,
			url,
			parameters: Object.fromEntries([...searchParams, ...form]),
			headers: request.headers,
			arrival,
			arrivalTime,
		};
		calls.push(call);
		const scripted = await answer(call);
		if (typeof scripted === 'function') return scripted(response);
		const { status = 200, headers, body } = scripted;
		response
			.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
			.end(body);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		hosts: everyHost(`http://127.0.0.1:${port}`),
		calls,
		callsTo,
		close: closeAtEnd(async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		}),
	};
}

/** An answer in the service's envelope. */
export function envelope(code: number, msg: string, data: unknown = ''): string {
	return JSON.stringify({ code, msg, data });
}

export function success(data: unknown): WholeAnswer {
	return { body: envelope(0, '', data) };
}

export function refusal(code: number, msg = ''): WholeAnswer {
	return { body: envelope(code, msg) };
}
