import { createServer } from 'node:http';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { credentialData, everyHost } from '../harness/credentials.mts';
import type { KeyPair } from '../sandbox/sandbox.mts';
import { onShutdown } from '../scripts/shutdown.mjs';
import { call } from '../test/sandbox/client.mts';

interface Replay {
	readonly url: string;
	/** How many requests were answered. */
	readonly requests: () => number;
}

/**
 * Gives the same answer to every request: an answer of the sandbox, without the work of making it, so
 * that a comparison shows what the callers do.
 */
async function replay(answer: string): Promise<Replay> {
	const body = Buffer.from(answer);
	let requests = 0;
	const server = createServer((_request, response) => {
		requests += 1;
		response.writeHead(200, {
			'content-type': 'application/json; charset=utf-8',
			'content-length': body.length,
		});
		response.end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onShutdown(async () => {
		server.closeAllConnections();
		server.close();
	});
	const address = server.address();
	if (typeof address !== 'object' || address === null) throw new Error('No port is free');
	return { url: `http://127.0.0.1:${address.port}`, requests: () => requests };
}

/** A call that the sandbox answered once, and that is answered so from then on. */
export interface Recorded extends Replay {
	readonly credential: ICredentialDataDecryptedObject;
}

export interface RecordedCall {
	readonly host: string;
	readonly path: string;
	readonly keyType: 'account' | 'order';
	readonly keys: KeyPair;
	readonly parameters?: Record<string, string>;
}

export async function record(recorded: RecordedCall): Promise<Recorded> {
	const { host, path, keys, keyType, parameters } = recorded;
	const answer = await call(host, path, keys, parameters);
	if (answer.json.code !== 0) throw new Error(`The sandbox refused: ${answer.json.msg}`);
	const server = await replay(answer.text);
	return {
		...server,
		credential: credentialData(everyHost(server.url), keys, keyType),
	};
}
