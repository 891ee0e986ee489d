import { fromList, ORDER_ID } from '../operations/common.mts';
import {
	CASES,
	HELPER_ENDPOINTS,
	isPaid,
	pathOf,
	WAYS,
	type Answer,
	type Fields,
	type Way,
} from '../operations/index.mts';

/** An operation, what the service says to it, and the answer of it that a case may break. */
export interface AnsweredOperation extends Answer {
	readonly name: string;
	readonly parameters: Fields;
	readonly settings: Way['operation']['settings'];
	readonly keyType: 'account' | 'order';
	readonly signType: 'hmacsha1' | 'token';
	/** Of the answer that may be broken. */
	readonly path: string;
	readonly answers: Readonly<Record<string, Answer>>;
	/** Of the calls of a case, this one may be made once at most. */
	readonly purchase: string | undefined;
}

function answered(
	way: Way,
	path: string,
	answer: Answer,
	signType: AnsweredOperation['signType'] = 'hmacsha1',
): AnsweredOperation {
	const { operation, theCase, by } = way;
	const needsChoice = operation.key === 'order' && by === 'account';
	return {
		...answer,
		name: `${operation.name}, ${theCase.what}: ${path}`,
		parameters: {
			resource: operation.resource,
			operation: operation.operation,
			...(needsChoice && { orderid: fromList(ORDER_ID) }),
			...theCase.fields,
		},
		settings: operation.settings,
		keyType: by,
		signType,
		path,
		answers: { ...theCase.answers, [path]: answer },
		purchase: isPaid(way) ? pathOf(way) : undefined,
	};
}

/** Every endpoint that the node calls, each as the one whose answer may be broken. */
export const ANSWERED_OPERATIONS: readonly AnsweredOperation[] = [
	...CASES.flatMap((way) =>
		Object.entries(way.theCase.answers ?? {})
			.filter(([, { staysWhole }]) => staysWhole !== true)
			.map(([path, answer]) => answered(way, path, answer)),
	),
	...HELPER_ENDPOINTS.flatMap(({ path, answer, calledWith: { by, signType } }) =>
		WAYS.filter((way) => way.operation.key === 'order' && way.by === by && way.theCase.answers)
			.slice(0, 1)
			.map((way) => answered(way, path, answer, signType)),
	),
];
