import type { IExecuteFunctions } from 'n8n-workflow';

import type { Item } from '../../../../../nodes/Kuaidaili/run/item.ts';
import type { ProxyLease } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import type { OrderProxies } from '../../../../../nodes/Kuaidaili/proxies/orderProxies.ts';
import { RunProxies } from '../../../../../nodes/Kuaidaili/proxies/runProxies.ts';
import { partitionOf } from '../../../../../nodes/Kuaidaili/proxies/proxyPool.ts';
import { readProviderRequest } from '../../../../../nodes/Kuaidaili/proxies/providerFields.ts';
import { GET_PROXY_AUTHORIZATION } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { rateLimiter, rateLimitKey } from '../../../../../nodes/shared/api/rateLimiter.ts';
import { runQuery } from '../../../../../nodes/shared/api/call.ts';
import { fakeCaller, reply, type FakeCaller, type Outcome } from '../../../support/fakeCaller.mts';

type Fields = Record<string, unknown> & { readonly options?: Record<string, unknown> };

export function addresses(from: number, count: number): string[] {
	return Array.from({ length: count }, (_, index) => {
		const number = from + index;
		return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}:8080`;
	});
}

export function listReply(list: readonly string[]): Outcome {
	return reply({ code: 0, msg: '', data: { count: list.length, proxy_list: list } });
}

export function nums({ requests }: FakeCaller): number[] {
	return requests.map(({ qs }) => Number(Reflect.get(qs ?? {}, 'num')));
}

const LOGIN = { type: 'Basic', credentials: 'eA==', username: 'd1', password: 'secret' };

interface ProxySettings {
	readonly keepsIp?: boolean;
	readonly secondsPerIp?: number;
	/** How many pages are still to ask for a proxy. */
	readonly expected?: () => number;
}

let orders = 0;

/** Of an execution that no other run belongs to. */
export function contextOfRun(): IExecuteFunctions {
	const execution = {};
	const context: unknown = {
		getContext: () => execution,
		getExecutionId: () => '1',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getNode: () => ({ type: 'kuaidaili' }),
	};
	return context as IExecuteFunctions;
}

/**
 * A run of an order that nobody else has.
 *
 * @param passwordOf what the login has when it is fetched for so many times
 */
export function runOf(
	fields: Fields,
	answer: (num: number, call: number) => Outcome,
	passwordOf = (fetches: number) => `secret${fetches}`,
) {
	const caller = fakeCaller(({ qs }, index) => answer(Number(Reflect.get(qs ?? {}, 'num')), index));
	let passwords = 0;
	const logins = fakeCaller(() =>
		reply({ code: 0, msg: '', data: { ...LOGIN, password: passwordOf((passwords += 1)) } }),
	);
	const order = `source ${(orders += 1)}`;
	const { options, ...others } = fields;
	const allOptions: Record<string, unknown> = { reuse: false, ...options };
	const values: Fields = { product: 'DPS', ...others, options: allOptions };
	const item: Item = {
		parameter: (name) => values[name],
		callOptions: () => ({ options: allOptions, timeoutMs: 30_000 }),
		reachableOrder: async () => undefined,
		ask: async (query, parameters) =>
			await runQuery(
				query.endpoint === GET_PROXY_AUTHORIZATION ? logins : caller,
				query,
				parameters,
			),
		untilCallable: async (endpoint, signal) => {
			const key = rateLimitKey(caller.credential, endpoint);
			await rateLimiter.untilFree(key, signal);
		},
		isForAgent: false,
		signal: undefined,
		orderKey: async () => order,
	} as Item;
	const ended = new AbortController();
	const runProxies = new RunProxies(contextOfRun(), ended.signal);
	const proxies = async (
		pagesPerProxy = 1,
		{ keepsIp = false, secondsPerIp, expected = () => 0 }: ProxySettings = {},
	) => {
		const request = readProviderRequest(item, keepsIp);
		const taken = await runProxies.forPages(item, request, pagesPerProxy, secondsPerIp);
		Object.defineProperty(taken, 'expected', { get: expected });
		return taken;
	};
	/** Where others that reuse proxies find those of the run. */
	const partition = partitionOf(order, readProviderRequest(item));
	return { caller, logins, runProxies, proxies, order, partition, endRun: () => ended.abort() };
}

/** A service that never gives the same address twice; each lives as long as `life` says. */
export function endless(life = 600) {
	let given = 0;
	return (num: number): Outcome => {
		given += num;
		return listReply(addresses(given - num, num).map((one) => `${one},${life}`));
	};
}

export const SITE = 'example.com';

export function addressesOf(leases: readonly ProxyLease[]): string[] {
	return leases.map(({ proxy }) => proxy.address);
}

/**
 * Opens so many pages, one after the other.
 *
 * @param tell what each page has to say of its proxy, by its number
 * @returns the addresses of their proxies
 */
export async function openInTurn(
	pages: Pick<OrderProxies, 'lease'>,
	count: number,
	tell: (lease: ProxyLease, page: number) => Parameters<ProxyLease['end']>[0] = () => undefined,
): Promise<string[]> {
	const seen: string[] = [];
	for (let page = 0; page < count; page += 1) {
		const lease = await pages.lease(SITE, undefined);
		seen.push(lease.proxy.address);
		lease.end(tell(lease, page));
	}
	return seen;
}
