import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KeyPair } from '../../../nodes/shared/credential/kuaidailiCredential.ts';
import type { NodeCaller } from '../../../nodes/shared/transport/nodeCaller.ts';
import { fakeCaller, type FakeCaller, type Outcome } from './fakeCaller.mts';

type Settings = NonNullable<Parameters<typeof fakeCaller>[1]>;

export interface FakeNodeCaller extends FakeCaller, NodeCaller {
	/** The key pairs that callers were made with. */
	readonly keyPairs: KeyPair[];
}

/** The caller of a node without a network; callers with other key pairs answer in the same way. */
export function fakeNodeCaller(
	answer: (request: IHttpRequestOptions, index: number) => Outcome,
	settings: Settings = {},
): FakeNodeCaller {
	const keyPairs: KeyPair[] = [];
	const caller = fakeCaller(answer, settings);
	return Object.assign(caller, {
		keyPairs,
		withKeyPair(keyPair: KeyPair) {
			keyPairs.push(keyPair);
			return fakeCaller(answer, {
				...settings,
				credential: { ...caller.credential, ...keyPair },
			});
		},
	});
}
