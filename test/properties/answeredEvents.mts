import { API } from '../engine/support/api.mts';
import { EXPIRE_TIME, fromList, ORDER_ID } from '../operations/common.mts';
import { ORDER_KEYS } from '../operations/helperEndpoints.mts';
import { type Answer, EVENT_WAYS, EVENTS, type Fields } from '../operations/index.mts';

/** An event, what the service says to it, and the answer of it that a case may break. */
export interface AnsweredEvent extends Answer {
	readonly name: string;
	readonly event: string;
	readonly parameters: Fields;
	readonly keyType: 'account' | 'order';
	/** Of the answer that may be broken. */
	readonly path: string;
	readonly answers: Readonly<Record<string, Answer>>;
}

type WatchedEvent = Omit<AnsweredEvent, 'path' | keyof Answer>;

function eachAnswer({ name, ...event }: WatchedEvent): AnsweredEvent[] {
	return Object.entries(event.answers).map(([path, answer]) => ({
		...answer,
		...event,
		name: `${name}: ${path}`,
		path,
	}));
}

/** With the key pair of an order, that one is watched instead of all that the account has. */
const OWN_ORDER: Answer = {
	data: {
		orderid: ORDER_ID,
		pay_type: 'PRE_PAY',
		product: 'TPS',
		status: 'VALID',
		expire_time: EXPIRE_TIME,
	},
	isSecret: true,
};

export const ANSWERED_EVENTS: readonly AnsweredEvent[] = [
	...EVENT_WAYS.flatMap(({ row: { event, fields, answers, order }, by, name }) => {
		const isChosen = order !== undefined && by === 'account';
		return eachAnswer({
			name,
			event,
			parameters: { event, ...(isChosen && { orderid: fromList(ORDER_ID) }), ...fields },
			keyType: by,
			answers: { ...(isChosen && { [ORDER_KEYS.path]: ORDER_KEYS.answer }), ...answers },
		});
	}),
	...EVENTS.filter(({ path }) => path === API.getaccountorders).flatMap(
		({ event, label, fields }) =>
			eachAnswer({
				name: `Trigger: ${label}, with the key pair of the order`,
				event,
				parameters: { event, ...fields, filters: {} },
				keyType: 'order',
				answers: { '/api/getorderinfo': OWN_ORDER },
			}),
	),
];
