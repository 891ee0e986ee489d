import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { credentialData, everyHost } from '../harness/credentials.mts';
import type { KeyPair } from '../sandbox/sandbox.mts';
import { call } from '../test/sandbox/client.mts';
import { replay, type Replay } from './replay.mts';

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
