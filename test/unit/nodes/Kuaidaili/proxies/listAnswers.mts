import { readProxyList } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import type { Success } from '../../../../../nodes/shared/response/httpResponse.ts';

export function failure(answer: Success, sep = '1', secrets: string[] = []): InvalidResponseError {
	try {
		const { unreadable } = readProxyList(answer, { sep, requested: [], secrets });
		if (unreadable !== undefined) return unreadable;
	} catch (error) {
		if (error instanceof InvalidResponseError) return error;
		throw error;
	}
	throw new Error('A list was found');
}

export function withData(data: unknown): Success {
	return { kind: 'envelope', code: 0, msg: '', data };
}
