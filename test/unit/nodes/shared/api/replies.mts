import { parseResponse, type HttpResponse } from '../../../../../nodes/shared/api/answer.ts';
import type { Endpoint } from '../../../../../nodes/shared/service/endpoint.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const KEY = 'jd1gzm6ant2u7poj';

export function reply(body: string, others: Partial<HttpResponse> = {}): HttpResponse {
	return { status: 200, headers: {}, body, ...others };
}

export function failure(given: HttpResponse, endpoint: Endpoint = GET_PROXY): unknown {
	try {
		parseResponse(endpoint, given, [KEY], NOW);
	} catch (error) {
		return error;
	}
	throw new Error('The reply was taken for a success');
}
