import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { API } from './api.mts';
import type { Engine, RunSettings } from './engine.mts';
import { extractParameters } from './inOptions.mts';
import {
	type ScriptedAnswer,
	type ScriptedCall,
	startScriptedService,
	success,
	type WholeAnswer,
} from './scriptedService.mts';

export const LOGIN = { username: 'd1', password: 'p:a@ss' };

export function list(entries: readonly string[], more: IDataObject = {}): WholeAnswer {
	return success({ count: entries.length, proxy_list: entries, ...more });
}

/** A service that gives a login, and otherwise what a test says; it closes after the last test. */
export async function openShop(
	engine: Engine,
	answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
	const service = await startScriptedService((call) => {
		if (call.path !== API.getproxyauthorization) return answer(call);
		return success({ type: 'Basic', credentials: 'eA==', ...LOGIN });
	});
	const credentialId = engine.addCredential(credentialData(service.hosts, uniqueKeys(), 'order'));
	return {
		/** Runs "Proxy: Extract" in it. */
		async run(fields: IDataObject, settings: Partial<RunSettings> = {}) {
			const parameters = {
				...{ resource: 'proxy', operation: 'extract', product: 'OPS' },
				...extractParameters(fields),
			};
			return await engine.run({ ...settings, credentialId, parameters });
		},
		/** Calls that are not about the login. */
		get extractions(): readonly ScriptedCall[] {
			return service.calls.filter(({ path }) => path !== API.getproxyauthorization);
		},
		/** How often the login was fetched. */
		get logins(): number {
			return service.callsTo(API.getproxyauthorization).length;
		},
		get nums(): string[] {
			return this.extractions.map(({ parameters }) => parameters.num);
		},
		close: service.close,
	};
}

/** `count` different addresses, from the given one on. */
export function addresses(first: number, count: number): string[] {
	return Array.from({ length: count }, (_, index) => {
		const number = first + index;
		return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}:8000`;
	});
}

/** Different addresses, each with a minute to live. */
export function privateEntries(from: number, count: number, life = 60): string[] {
	return Array.from({ length: count }, (_, index) => {
		const n = from + index;
		return `113.${n >> 16}.${(n >> 8) & 255}.${n & 255}:22989,${life}`;
	});
}

/** Hands out as many as are asked for, never the same twice. */
export function supply(): (call: ScriptedCall) => ScriptedAnswer {
	let given = 0;
	return ({ parameters }) => {
		const count = Number(parameters.num);
		given += count;
		return list(privateEntries(given - count, count));
	};
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens it for some work, and closes it. */
export async function inShop(
	engine: Engine,
	answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
	work: (shop: Shop) => Promise<void>,
): Promise<void> {
	const shop = await openShop(engine, answer);
	try {
		await work(shop);
	} finally {
		await shop.close();
	}
}
