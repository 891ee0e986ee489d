import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { parseBody, type Answer } from '../../../../../nodes/shared/api/answer.ts';

export function reasonFor(body: string): string | undefined {
	try {
		parseBody(body);
		return undefined;
	} catch (error) {
		if (!(error instanceof InvalidResponseError)) throw error;
		expect(error.excerpt).toBe('');
		return error.reason;
	}
}

export function envelope(code: number, msg: string, data: unknown): Answer {
	return { code, msg, data };
}
