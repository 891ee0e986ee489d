import assert from 'node:assert/strict';

import type { Answer, Fields, Json } from './row.mts';

/** What every list has. */
export const LIST = ['Return All', 'Limit'];

export const ALL = { returnAll: true } satisfies Fields;

/** Of every purchase. */
export const PURCHASE_NOTICE =
	"Each input item can be one purchase, charged to the account balance without asking. Prices are on Kuaidaili's website only. As a tool of an AI agent, set every field yourself: don't let the model fill it in.";

/** Typed into a field that has a list as well. */
export function byCode(value: string): Json {
	return { __rl: true, mode: 'code', value };
}

/** Chosen from the list. */
export function fromList(value: string): Json {
	return { __rl: true, mode: 'list', value };
}

/** That a record says this, whatever else it says. */
export function expectSays(record: Json | undefined, expected: Json): void {
	assert.deepEqual(record, { ...record, ...expected });
}

export const EXPIRE_TIME = '2032-06-18 12:01:43';
export const TUNNEL_PASSWORD = 'beot3nx1-password';
export const ORDER_ID = '965102959536478';

/** What stands besides the codes of an order. */
export const NAMES = ['productName', 'payTypeName'];

/** What stands besides the expiry of the service. */
export const TIME = ['expiresAt', 'secondsLeft'];

/** What stands besides a purchase, with the account's key pair. */
export const COST = ['balanceBefore', 'balanceAfter', 'cost'];

export const BALANCE = '/api/getaccountbalance';

/** Of the questions about what can be ordered. */
export const MISSING = /missing a value.*fill in all fields/i;

/** What an order is, as far as it is asked. */
export function orderAnswer(product: string, more: Json = {}): Answer {
	return {
		data: { orderid: '965102959536478', product, ...more },
		isSecret: true,
		canDoWithout: true,
	};
}

/** What the service says to a question for the login of the proxies. */
export const LOGIN_ANSWER: Answer = {
	data: {
		type: 'Basic',
		credentials: 'eGlhb3EpYW5nOnMyZWYhZDM=',
		username: 'xiaoqiang',
		password: 's2efad3-of-the-proxies',
	},
	isSecret: true,
};

/** Of an extraction. */
export function proxyAnswer(...entries: readonly string[]): Answer {
	return { data: { count: entries.length, proxy_list: entries }, shape: 'proxies' };
}
