import type { Store } from '../accounts/store.mts';
import type { Tokens } from '../authentication/tokens.mts';
import type { Call, HostName } from '../http/call.mts';
import type { Outgoing } from '../http/outgoing.mts';
import {
	type CacheFault,
	type DripFault,
	type Fault,
	type Hindrance,
	type Incident,
	isHindrance,
	isIncident,
	type Outcome,
	type Target,
	type TwiceFault,
} from './fault.mts';

/** Makes happen at the service what a call then has to suffer. */
export class Incidents {
	constructor(
		private readonly store: Store,
		private readonly tokens: Tokens,
	) {}

	/** False, and nothing happened, when it would make no difference to a call with these parameters. */
	strike(incident: Incident, parameters: ReadonlyMap<string, string>): boolean {
		const secretId = parameters.get('secret_id') ?? '';
		switch (incident.kind) {
			case 'forgottenToken': {
				const signature = parameters.get('signature') ?? '';
				return this.tokens.forget(secretId, signature, incident.code ?? -104);
			}
			case 'changedKeyPair':
				return this.changeKeyPair(secretId, incident.code ?? -104);
		}
	}

	private changeKeyPair(secretId: string, code: -102 | -104): boolean {
		const caller = this.store.findCaller(secretId);
		if (caller?.kind !== 'order') return false;
		this.store.changeKeyPair(caller.order, code === -102 ? 'both' : 'secretKey');
		// Whether a token outlives the pair it was fetched with is not documented. If it did, nobody would
		// notice that the pair has changed.
		this.tokens.forgetAll(secretId);
		return true;
	}
}

interface Armed {
	fault: Fault;
	remaining: number;
}

/** What decides whether a call is hit. */
export interface Delivered {
	host: HostName;
	path: string;
	parameters: ReadonlyMap<string, string>;
	/** 2 when a gateway delivers it again. */
	delivery: 1 | 2;
}

/** What a call has to suffer. */
export interface TakenFaults {
	delayBeforeMs: number;
	delayAfterMs: number;
	dateOffsetSeconds: number;
	drip: (Target & DripFault) | undefined;
	twice: (Target & TwiceFault) | undefined;
	incident: (Target & Incident) | undefined;
	outcome: (Target & Outcome) | undefined;
}

/** The faults that are switched on. */
export class Faults {
	private armed: Armed[] = [];

	constructor(private readonly incidents: Incidents) {}

	add(...faults: Fault[]): void {
		for (const fault of faults) this.armed.push({ fault, remaining: fault.times ?? Infinity });
	}

	clear(): void {
		this.armed = [];
	}

	/**
	 * What hits this call; an incident has happened when this returns. Delays and offsets of the Date header add up;
	 * of the others only the first one is used, so several of them with `times` are a sequence.
	 */
	take(delivered: Delivered): TakenFaults {
		const taken: TakenFaults = {
			delayBeforeMs: 0,
			delayAfterMs: 0,
			dateOffsetSeconds: 0,
			drip: undefined,
			twice: undefined,
			incident: undefined,
			outcome: undefined,
		};
		for (const each of this.armed) {
			if (hits(each.fault, delivered) && this.use(each.fault, taken, delivered)) {
				each.remaining -= 1;
			}
		}
		this.armed = this.armed.filter(({ remaining }) => remaining > 0);
		return taken;
	}

	/** False when the place of this fault is already taken, or when it makes no difference. */
	private use(fault: Fault, taken: TakenFaults, { parameters, delivery }: Delivered): boolean {
		if (isHindrance(fault)) return useHindrance(fault, taken);
		if (isIncident(fault)) {
			if (taken.incident || !this.incidents.strike(fault, parameters)) return false;
			taken.incident = fault;
			return true;
		}
		if (fault.kind === 'twice') {
			if (taken.twice || delivery === 2) return false;
			taken.twice = fault;
			return true;
		}
		if (taken.outcome) return false;
		taken.outcome = fault;
		return true;
	}
}

function hits(target: Target, { host, path, parameters }: Delivered): boolean {
	const secretId = parameters.get('secret_id');
	return (
		(target.host ?? host) === host &&
		(target.path ?? path) === path &&
		(target.secretId ?? secretId) === secretId
	);
}

function useHindrance(fault: Target & Hindrance, taken: TakenFaults): boolean {
	switch (fault.kind) {
		case 'delay':
			if (fault.when === 'after') taken.delayAfterMs += fault.ms;
			else taken.delayBeforeMs += fault.ms;
			return true;
		case 'dateOffset':
			taken.dateOffsetSeconds += fault.seconds;
			return true;
		case 'drip':
			if (taken.drip) return false;
			taken.drip = fault;
			return true;
	}
}

// What makes two calls differ that ask for the same
const NOT_COMPARED = ['sign_type', 'signature', 'timestamp', 'nonce'];

/** What the caches on the way keep. */
export class CachedAnswers {
	private readonly kept = new WeakMap<CacheFault, Map<string, Outgoing>>();

	get(cache: CacheFault, call: Call): Outgoing | undefined {
		return this.kept.get(cache)?.get(keyOf(call));
	}

	keep(cache: CacheFault, call: Call, answer: Outgoing): void {
		const answers = this.kept.get(cache) ?? new Map<string, Outgoing>();
		this.kept.set(cache, answers.set(keyOf(call), answer));
	}
}

function keyOf({ path, parameters }: Call): string {
	const compared = [...parameters].filter(([name]) => !NOT_COMPARED.includes(name));
	return JSON.stringify([path, compared.toSorted()]);
}
