import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../../../nodes/shared/api/sign.ts';
import { freshCredential } from './credential.mts';
import type { ApiClient } from '../../../nodes/shared/api/client.ts';

export interface HttpResponse {
	readonly status: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: string;
}

/** What a send leads to: a reply, an error that is thrown, or silence. */
export type Outcome = HttpResponse | Error | 'silence';

export interface FakeCaller extends ApiClient {
	readonly requests: IHttpRequestOptions[];
	/** When each request left, in milliseconds since the caller was made. */
	readonly times: number[];
	renewals: number;
}

export function reply(body: unknown, others: Partial<HttpResponse> = {}): HttpResponse {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return { status: 200, headers: {}, body: text, ...others };
}

export function refusal(code: number): HttpResponse {
	return reply({ code, msg: 'no', data: '' });
}

interface Settings {
	credential?: KuaidailiCredential;
	timeoutMs?: number;
	signal?: AbortSignal;
	usesToken?: boolean;
}

/** A caller without a network: `answer` decides, from the number of the request, what comes back. */
export function fakeCaller(
	answer: (request: IHttpRequestOptions, index: number) => Outcome,
	settings: Settings = {},
): FakeCaller {
	const begin = performance.now();
	const caller: FakeCaller = {
		credential: settings.credential ?? freshCredential(),
		timeoutMs: settings.timeoutMs ?? 30_000,
		signal: settings.signal,
		requests: [],
		times: [],
		renewals: 0,
		secrets: () => ['the-secret-key'],
		prepare: async () => {},
		renewAuthentication() {
			if (settings.usesToken !== true) return false;
			caller.renewals++;
			return true;
		},
		async send(request) {
			caller.requests.push(request);
			caller.times.push(performance.now() - begin);
			const outcome = answer(request, caller.requests.length - 1);
			if (outcome === 'silence') return await silenceUntil(caller.signal);
			if (outcome instanceof Error) throw outcome;
			return await Promise.resolve({ ...outcome, statusCode: outcome.status });
		},
	};
	return caller;
}

/** As n8n's helper, which gives up on its request when the execution is cancelled. */
async function silenceUntil(signal: AbortSignal | undefined): Promise<never> {
	return await new Promise((_resolve, reject) => {
		const giveUp = () => reject(new Error('canceled'));
		if (signal?.aborted === true) giveUp();
		else signal?.addEventListener('abort', giveUp, { once: true });
	});
}

/** Answers in this order; the last one again and again. */
export function inTurn(...outcomes: Outcome[]): (request: unknown, index: number) => Outcome {
	return (_request, index) => outcomes[Math.min(index, outcomes.length - 1)];
}
