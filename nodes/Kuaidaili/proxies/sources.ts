import type { IExecuteFunctions } from 'n8n-workflow';

import { throwIfCancelled, untilCancelled } from '../../shared/concurrency/wait';
import { fingerprintOf } from '../../shared/fingerprint';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import { leasedProxy, nothingToLease } from './lease';
import type {
	LeaseRequest,
	ProxyLease,
	ProxySource,
	SharedByRun,
	SourceSettings,
	SupplyCounts,
} from './lease';
import { ListSource } from './listSource';
import {
	composeLogin,
	forgetProxyLogin,
	orderLogin,
	randomSessionStart,
	sessionOf,
} from './logins';
import type { ProxyRequest } from './productFields';
import { anyVisitor } from './stock';
import { ProxySupply, stockKeyOf } from './supply';

/**
 * One address for all; each lease has a session of its own where the product knows sessions.
 *
 * @param secondsPerIp how long the order keeps an IP, 0 for a new one with each request; undefined where it is unknown
 */
function tunnelSource({ run, item, key, request }: SourceSettings, secondsPerIp?: number) {
	const sessionStart = randomSessionStart();
	let sessions = 0;
	let known: Promise<ExtractedProxy> | undefined;
	const extract = async (): Promise<ExtractedProxy> => {
		const { proxies, endedBy } = await run.supply.extract(request, item);
		if (proxies.length > 0) return proxies[0];
		throw typeof endedBy === 'object' ? endedBy : nothingToLease(request);
	};
	const lease = async ({ signal }: LeaseRequest): Promise<ProxyLease> => {
		throwIfCancelled(signal);
		const plain = await untilCancelled(orderLogin(item), signal);
		const address = (known ??= extract());
		const forget = () => {
			if (known === address) known = undefined;
		};
		address.catch(forget);
		const proxy = await untilCancelled(address, signal);
		const { loginSettings = {}, loginSettingsFor } = request;
		const session = sessionOf(sessionStart, (sessions += 1));
		const login = composeLogin(plain, loginSettingsFor?.(session) ?? loginSettings);
		const secondsLeft = request.sessionSeconds?.(secondsPerIp);
		return {
			proxy: leasedProxy({ ...proxy, secondsLeft }, request, login, anyVisitor()),
			report(fault) {
				if (fault === 'failed') forget();
				if (fault === 'loginRefused') forgetProxyLogin(key.order, plain);
			},
			succeeded() {},
			unused() {},
			release() {},
		};
	};
	return { lease };
}

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources implements SharedByRun {
	readonly supply: ProxySupply;

	left?: number;

	private readonly sources = new Map<string, ProxySource>();

	constructor(
		context: IExecuteFunctions,
		readonly ended: AbortSignal,
	) {
		this.supply = new ProxySupply(context);
	}

	/** @throws what getting the key pair of the order throws */
	async sourceFor(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<ProxySource> {
		const key = await stockKeyOf(request, item);
		const requested = { ...request, endpoint: request.endpoint.path };
		const id = fingerprintOf(key, requested, pagesPerProxy);
		const settings = { run: this, request, item, key, pagesPerProxy };
		const create = (): ProxySource =>
			request.isShared === true ? tunnelSource(settings, secondsPerIp) : new ListSource(settings);
		const source = this.sources.get(id) ?? create();
		this.sources.set(id, source);
		return source;
	}

	get counts(): SupplyCounts {
		const all = [...this.sources.values()].flatMap(({ counts }) => counts ?? []);
		const sum = (name: Exclude<keyof SupplyCounts, 'left'>) =>
			all.reduce((total, counts) => total + counts[name], 0);
		return {
			extracted: sum('extracted'),
			counted: sum('counted'),
			unused: sum('unused'),
			reused: sum('reused'),
			left: this.left,
		};
	}
}
