import { ENDPOINTS } from '../../sandbox/endpoints/table.mts';
import {
	type Account,
	type KeyPair,
	type Order,
	type Sandbox,
	type Settings,
} from '../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from './client.mts';
import { accountOf, create, orderOf, ORDERS, startShop, type OrderName } from './ordering.mts';

/**
 * Stories of a sandbox that tables tell: `['dps getdps?num=3', expected]` asks an endpoint with one of the
 * keys, of the orders that are there from the start or of 'own', the one that was added last.
 */
export interface Story {
	sandbox: Sandbox;
	ask: (text: string) => Promise<Reply>;
	order: (key: string) => Order;
	/** It is 'own' then. */
	add: (order: Order) => void;
}

/** A code, what the text matches, what the data equal, or what has to hold for the whole answer. */
type Expected = number | RegExp | ((reply: Reply) => unknown) | Readonly<Record<string, unknown>>;

export type Step = readonly [ask: string, expected: Expected] | ((story: Story) => unknown);

type Named = ReadonlyMap<string, KeyPair>;

/** Signed at the time of the sandbox, at the first host of the endpoint. */
async function askIn(sandbox: Sandbox, text: string, named: Named): Promise<Reply> {
	const [, key = '', name = '', query = ''] = /^(\w+) (\w+)\??(.*)$/su.exec(text) ?? [];
	const path = `/api/${name}`;
	const [first] = ENDPOINTS.find((each) => each.path === path)?.hosts ?? [];
	if (!first) throw new Error(`"${text}" asks no endpoint`);
	const keys = named.get(key);
	if (!keys) throw new Error(`"${text}" names no key`);
	const parameters: Parameters = Object.fromEntries(new URLSearchParams(query));
	return await call(sandbox.hosts[`${first}Url`], path, keys, parameters, sandbox.clock.now());
}

async function begin(): Promise<Story> {
	const sandbox = await startShop();
	const named = new Map<string, KeyPair>(Object.entries(sandbox.keys));
	return {
		sandbox,
		ask: async (text) => await askIn(sandbox, text, named),
		order: (key) => sandbox.store.order(named.get(key)?.secretId ?? key),
		add: (order) => {
			const isNew = !sandbox.store.orders.includes(order);
			named.set('own', (isNew ? sandbox.store.addOrder(order) : order).keys);
		},
	};
}

async function take(story: Story, step: Step): Promise<void> {
	if (typeof step === 'function') {
		await step(story);
		return;
	}
	const [text, expected] = step;
	const reply = await story.ask(text);
	const { code, workDone } = story.sandbox.log.last() ?? {};
	if (typeof expected === 'function') {
		await expected(reply);
	} else if (typeof expected === 'number') {
		expect({ text, code, workDone }).toEqual({ text, code: expected, workDone: expected === 0 });
	} else if (expected instanceof RegExp) {
		expect({ text, answer: reply.text }).toEqual({ text, answer: expect.stringMatching(expected) });
	} else {
		expect({ text, code }).toEqual({ text, code: 0 });
		expect({ text, data: reply.json.data }).toEqual({ text, data: expected });
	}
}

/** Each in a sandbox of its own. */
export function tell(stories: Readonly<Record<string, readonly Step[]>>): void {
	it.each(Object.entries(stories))('%s', async (_title, steps) => {
		const story = await begin();
		try {
			for (const step of steps) await take(story, step);
		} finally {
			await story.sandbox.close();
		}
	});
}

let orders = 0;

export function own<S>(
	make: (name: string, account: Account, now: Date, settings: S) => Order,
	settings: S,
): Step {
	orders += 1;
	const name = `own-${orders}`;
	return ({ sandbox, add }) =>
		add(make(name, accountOf(sandbox), sandbox.clock.now(), { ...settings }));
}

export function bought(name: OrderName, further: Parameters = {}): Step {
	return async ({ sandbox, add }) =>
		add(orderOf(sandbox, await create(sandbox, { ...ORDERS[name], ...further })));
}

export const set =
	(key: string, fields: object): Step =>
	({ order }) =>
		Object.assign(order(key), fields);

export const setting =
	(settings: Partial<Settings>): Step =>
	({ sandbox }) =>
		Object.assign(sandbox.settings, settings);

/** By the clock of the sandbox. */
export const later =
	(ms: number): Step =>
	({ sandbox }) =>
		sandbox.clock.advance(ms);

export const at =
	(time: string): Step =>
	({ sandbox }) =>
		sandbox.clock.set(new Date(time));

/** Some of the fields of the data. */
export function having(part: object) {
	return ({ json }: Reply) => expect(json).toMatchObject({ code: 0, data: part });
}
