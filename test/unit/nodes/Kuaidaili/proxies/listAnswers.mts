import { readProxyList } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import type { Answer } from '../../../../../nodes/shared/response/parseBody.ts';

export function failure(answer: Answer, sep = '1', secrets: string[] = []): InvalidResponseError {
	try {
		const { unreadable } = readProxyList(answer, { sep, requested: [], secrets });
		if (unreadable !== undefined) return unreadable;
	} catch (error) {
		if (error instanceof InvalidResponseError) return error;
		throw error;
	}
	throw new Error('A list was found');
}

export function withData(data: unknown): Answer {
	return { kind: 'envelope', code: 0, msg: '', data };
}
