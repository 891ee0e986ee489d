import type { IHttpRequestOptions } from 'n8n-workflow';

import type { NodeCaller } from '../../../nodes/shared/transport/caller.ts';
import { fakeCaller, type FakeCaller, type Outcome } from './fakeCaller.mts';

type Settings = NonNullable<Parameters<typeof fakeCaller>[1]>;

export interface FakeNodeCaller extends FakeCaller, NodeCaller {}

/** The caller of a node without a network; what other key pairs have signed is answered in the same way. */
export function fakeNodeCaller(
	answer: (request: IHttpRequestOptions, index: number) => Outcome,
	settings: Settings = {},
): FakeNodeCaller {
	const caller = fakeCaller(answer, settings);
	const own = Object.assign(caller, {
		async sendPlain(request: IHttpRequestOptions) {
			const { status, ...others } = await caller.send(request);
			return { statusCode: status, ...others };
		},
		withSignature: () => own,
	});
	return own;
}
