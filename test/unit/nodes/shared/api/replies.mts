import { parseResponse } from '../../../../../nodes/shared/api/answer.ts';
import type { Endpoint } from '../../../../../nodes/shared/service/endpoint.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const KEY = 'jd1gzm6ant2u7poj';

/** As n8n's helper returns it. */
export function reply(body: string, { status = 200, headers = {} } = {}) {
	return { statusCode: status, headers, body };
}

export function failure(given: unknown, endpoint: Endpoint = GET_PROXY): unknown {
	try {
		parseResponse(endpoint, given, [KEY], NOW);
	} catch (error) {
		return error;
	}
	throw new Error('The reply was taken for a success');
}
