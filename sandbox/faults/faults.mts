import type { HostName } from '../calls/call.mts';
import {
	isHindrance,
	isIncident,
	type DripFault,
	type Fault,
	type Hindrance,
	type Incident,
	type Outcome,
	type Target,
	type TwiceFault,
} from './fault.mts';
import type { Incidents } from './incidents.mts';

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
	clockOffsetSeconds: number;
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

	/** Those that can still strike, the next one first. */
	list(): Fault[] {
		return this.armed.map(({ fault, remaining }) =>
			Number.isFinite(remaining) ? { ...fault, times: remaining } : fault,
		);
	}

	/**
	 * What hits this call; an incident has happened when this returns. Delays and clock offsets add up;
	 * of the others only the first one is used, so several of them with `times` are a sequence.
	 */
	take(delivered: Delivered): TakenFaults {
		const taken: TakenFaults = {
			delayBeforeMs: 0,
			delayAfterMs: 0,
			clockOffsetSeconds: 0,
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
		case 'clockOffset':
			taken.clockOffsetSeconds += fault.seconds;
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
