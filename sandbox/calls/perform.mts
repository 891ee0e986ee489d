import { Refusal, TooFast, type Answer } from '../answers/answer.mts';
import { commonMessage, commonRefusal } from '../answers/commonCodes.mts';
import type { Endpoint, Service } from '../endpoints/endpoint.mts';
import { momentOf, type CodeFault } from '../faults/fault.mts';
import type { LoggedRequest } from '../requestLog.mts';
import type { Call } from './call.mts';

/**
 * One call from admission to answer. A code that a test switched on comes where the service itself
 * would find the reason: after it has believed the caller, so a signature counts as used.
 */
export async function perform(
	call: Call,
	endpoint: Endpoint,
	service: Service,
	codeFault: CodeFault | undefined,
	entry: LoggedRequest,
): Promise<Answer> {
	try {
		if (!endpoint.methods.includes(call.method)) throw commonRefusal(-106);
		const { secretId, rules, work } = endpoint.admit(call, service);

		const tooFast = service.limits.refusal(`${secretId} ${call.path}`, rules, call.arrival);
		if (tooFast !== undefined) throw new TooFast(tooFast, messageOf(tooFast, endpoint));

		if (codeFault && momentOf(codeFault) === 'before') return invented(codeFault, endpoint);
		const answer = await work();
		entry.workDone = answer.code === 0;
		return codeFault ? invented(codeFault, endpoint) : answer;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		entry.refusedByRateLimit = error instanceof TooFast;
		return error.toAnswer();
	}
}

function invented({ code, msg }: CodeFault, endpoint: Endpoint): Answer {
	return { code, msg: msg ?? messageOf(code, endpoint), data: '' };
}

function messageOf(code: number, endpoint: Endpoint): string {
	return endpoint.message(code) ?? commonMessage(code) ?? '系统错误';
}
