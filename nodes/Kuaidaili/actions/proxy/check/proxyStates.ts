import { isList, isRecord } from '../../../../shared/guards';
import type { Endpoint } from '../../../../shared/service/endpoint';
import {
	CHECK_DPS_VALID,
	CHECK_OPS_VALID,
	GET_DPS_VALID_TIME,
} from '../../../../shared/service/endpoints/extraction';
import type { Query } from '../../../../shared/service/query';
import { InvalidResponseError } from '../../../../shared/errors/callErrors';
import { excerptOfData } from '../../../../shared/errors/cleanText';

/** By `host:port`, as it was sent. A proxy that the service said nothing about is not there. */
export type States<T> = ReadonlyMap<string, T>;

/** An answer that says something of each address in `proxy`, which is a text with commas. */
function statesQuery<T>(
	endpoint: Endpoint,
	isState: (value: unknown) => value is T,
	problem: string,
): Query<States<T>> {
	return {
		endpoint,
		parse({ data }, secrets) {
			// An empty map may be written as an empty list
			if (isList(data) && data.length === 0) return new Map();
			const states = new Map<string, T>();
			const entries = Object.entries(isRecord(data) ? data : {});
			for (const [address, state] of entries) {
				if (isState(state)) states.set(address, state);
			}
			// What it is null for stays unknown; with anything else, it is the answer to another question
			const isAnswer = entries.every(([, state]) => state === null || isState(state));
			if (isRecord(data) && isAnswer) return states;
			throw new InvalidResponseError(problem, excerptOfData(data, secrets));
		},
	};
}

function isBoolean(value: unknown): value is boolean {
	return typeof value === 'boolean';
}

function isDuration(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const NO_STATES = 'does not say which proxies work';

/** Whether private proxies work. Takes `proxy`. */
export const privateProxyStates = statesQuery(CHECK_DPS_VALID, isBoolean, NO_STATES);

/** Whether open proxies work. Takes `proxy`. */
export const openProxyStates = statesQuery(CHECK_OPS_VALID, isBoolean, NO_STATES);

/** How many seconds private proxies have left. Takes `proxy`. */
export const privateProxyLifetimes = statesQuery(
	GET_DPS_VALID_TIME,
	isDuration,
	'does not say how long the proxies live on',
);
