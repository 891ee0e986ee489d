import { Readable } from 'node:stream';

import type { IHttpRequestOptions } from 'n8n-workflow';

import { CircuitBreaker } from '../../../../../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import {
	attemptPage,
	type AttemptScope,
	type PageRoute,
} from '../../../../../../nodes/Kuaidaili/pages/run/attempt.ts';
import type { PageResult } from '../../../../../../nodes/Kuaidaili/pages/run/pageResult.ts';
import { Session } from '../../../../../../nodes/Kuaidaili/pages/http/session.ts';
import { RequestPace } from '../../../../../../nodes/Kuaidaili/pages/http/requestPace.ts';
import { DescribedError } from '../../../../../../nodes/shared/api/errors.ts';
import { readPageAddress } from '../../../../../../nodes/Kuaidaili/pages/request/pageAddresses.ts';
import {
	readPageSettings,
	type PageRequest,
} from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { readCallOptions } from '../../../../../../nodes/Kuaidaili/parameters/callOptions.ts';
import type { ProxyFault } from '../../../../../../nodes/Kuaidaili/proxies/proxyStatuses.ts';

/** What a page, or a proxy in its place, answers. */
export interface FakeAnswer {
	readonly status?: number;
	/** The reason phrase; empty by default. */
	readonly statusText?: string;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly body?: string | Buffer;
	/** In place of a body. */
	readonly stream?: Readable;
	/** Over https, whether the way to the page was open: a proxy answers before. Undefined where n8n does not tell. */
	readonly encrypted?: boolean;
}

/** What comes of a request; an Error is what n8n's helper throws. */
export type Reaction = (request: IHttpRequestOptions) => FakeAnswer | Error | 'silence';

export function connectionError(code: string, more: object = {}): Error {
	return Object.assign(new Error(`something ${code}`), { code, ...more });
}

function stream(body: string | Buffer): Readable {
	const bytes = Buffer.from(body);
	return Readable.from(bytes.length === 0 ? [] : [bytes]);
}

async function silence(signal: IHttpRequestOptions['abortSignal']): Promise<never> {
	return await new Promise((_resolve, reject) => {
		signal?.addEventListener?.('abort', () => reject(new Error('canceled')));
	});
}

/** Answers as n8n's helper does: all statuses become errors with the response in them. */
export function fakeSender(react: Reaction) {
	const requests: IHttpRequestOptions[] = [];
	const send = async (request: IHttpRequestOptions): Promise<unknown> => {
		requests.push(request);
		const reaction = react(request);
		if (reaction === 'silence') return await silence(request.abortSignal);
		if (reaction instanceof Error) throw reaction;
		const { status = 200, headers = {}, body = '', encrypted } = reaction;
		const answer = reaction.stream ?? stream(body);
		const socket = encrypted === undefined ? undefined : { encrypted };
		const response = {
			status,
			statusText: reaction.statusText,
			headers,
			data: answer,
			request: { socket },
		};
		throw Object.assign(new Error('status'), { response, config: { proxy: request.proxy } });
	};
	return { send, requests };
}

/** Proxies 10.0.0.1, 10.0.0.2, and so on, which note what they are blamed for. */
export function fakeProxies(most = Infinity) {
	const faults: Array<[string, ProxyFault]> = [];
	const inUse = new Set<string>();
	let leased = 0;
	const proxies: PageRoute['proxies'] = {
		expected: 0,
		async lease() {
			if (leased >= most) throw new Error('No proxies are left');
			leased += 1;
			const host = `10.0.0.${leased}`;
			const address = `${host}:8000`;
			inUse.add(address);
			return {
				proxy: {
					address,
					host,
					port: 8000,
					scheme: 'http',
					login: { username: 'u', password: 'secret-p' },
					identitySeed: leased - 1,
				},
				end(result) {
					if (result !== undefined && result !== 'opened') faults.push([address, result]);
					inUse.delete(address);
				},
			};
		},
	};
	return { proxies, faults, inUse };
}

let paces = 0;

export function paceOf(perSecond: number): RequestPace {
	return new RequestPace(`order ${(paces += 1)}`, 1000 / perSecond, '1');
}

export const NO_LIMIT = paceOf(Infinity);

const PRESETS: Readonly<Record<string, unknown>> = {
	product: 'DPS',
	pagesPerProxy: 1,
	url: 'https://example.com/list?page=2',
	method: 'GET',
	bodyType: 'json',
	body: '',
	headers: {},
	sessionKey: '',
	responseFormat: 'autodetect',
	outputField: 'data',
	maxAttempts: 3,
	retryIf: {},
};

/** What somebody entered for an item besides the presets. */
export function itemWith(fields: Readonly<Record<string, unknown>>, options: object) {
	return {
		isForAgent: false,
		parameter: (name: string) => ({ ...PRESETS, ...fields })[name],
		callOptions: () => readCallOptions(options),
	};
}

/** What is wanted of a page by such an item. */
export function requestOf(item: ReturnType<typeof itemWith>): PageRequest {
	const address = readPageAddress(item.parameter('url'));
	return { ...readPageSettings(item, item.parameter), ...address };
}

export function pageRequest(changes: Partial<PageRequest> = {}): PageRequest {
	const options = { attemptTimeout: 1, maxPageSize: 1 };
	return { ...requestOf(itemWith({ url: 'http://site.example/page' }, options)), ...changes };
}

/** Reacts to one request after the other, and to all further ones as to the last. */
export function inTurn(...reactions: ReadonlyArray<FakeAnswer | Error | 'silence'>): Reaction {
	let at = 0;
	return () => reactions[Math.min(at++, reactions.length - 1)];
}

function outcomesOf({ attempts }: PageResult): string[] {
	return attempts.map(({ outcome, statusCode }) => [outcome, statusCode].filter(Boolean).join(' '));
}

/** What comes of work whose pauses are over at once. */
async function withoutPauses<T>(work: () => Promise<T>): Promise<T> {
	jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	try {
		let isOver = false;
		const result = work().finally(() => {
			isOver = true;
		});
		while (!isOver) {
			await new Promise((resolve) => setImmediate(resolve));
			if (jest.getTimerCount() > 0) await jest.advanceTimersToNextTimerAsync();
		}
		return await result;
	} finally {
		jest.useRealTimers();
	}
}

/** Opens a page in as many attempts as it takes, by default without a limit, and nobody cancels. */
export async function openPage(
	page: PageRequest,
	send: ReturnType<typeof fakeSender>['send'],
	proxies: PageRoute['proxies'],
	// Of its own: it keeps the time of tests whose clock is another one
	pace = paceOf(Infinity),
	signal = new AbortController().signal,
): Promise<PageResult> {
	const route = { orderKey: 'order', proxies, pace, breaker: new CircuitBreaker() };
	const session = new Session();
	const error = new DescribedError({ message: 'no time', description: '' });
	const scope: AttemptScope = {
		...{ helpers: { httpRequest: send }, signal, log() {} },
		...{ endsAt: Infinity, beginSignal: signal },
		outOfTime: { kind: 'time', because: 'no time', error },
	};
	try {
		let result = await attemptPage(page, route, session, scope, []);
		while (result.next !== undefined)
			result = await attemptPage(page, route, session, scope, result.attempts);
		return result;
	} finally {
		session.end();
	}
}

/** Opens one page through fake proxies, `most` at most, without its pauses, and tells all that came of it. */
export async function open(changes: Partial<PageRequest>, react: Reaction, most?: number) {
	const { send, requests } = fakeSender(react);
	const { proxies, faults, inUse } = fakeProxies(most);
	const page = pageRequest(changes);
	const result = await withoutPauses(async () => await openPage(page, send, proxies));
	return {
		...result,
		requests,
		faults,
		inUse,
		outcomes: outcomesOf(result),
		text: errorText(result),
	};
}

function errorText({ error }: PageResult): string {
	if (!(error instanceof Error)) return '';
	const description: unknown = Reflect.get(Object(Reflect.get(error, 'text')), 'description');
	return [error.message, description].filter(Boolean).join('. ');
}
