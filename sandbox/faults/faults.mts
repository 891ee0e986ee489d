import type { HostName } from '../calls/call.mts';
import { isHindrance, type DripFault, type Fault, type Outcome, type Target } from './fault.mts';

interface Armed {
	fault: Fault;
	remaining: number;
}

/** What a call has to suffer. */
export interface TakenFaults {
	delayBeforeMs: number;
	delayAfterMs: number;
	clockOffsetSeconds: number;
	drip: (Target & DripFault) | undefined;
	outcome: (Target & Outcome) | undefined;
}

/** The faults that are switched on. */
export class Faults {
	private armed: Armed[] = [];

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
	 * What hits this call. Delays and clock offsets add up; of the faults that decide the outcome only
	 * the first one is used, so several of them with `times` are a sequence of bad answers.
	 */
	take(host: HostName, path: string): TakenFaults {
		const taken: TakenFaults = {
			delayBeforeMs: 0,
			delayAfterMs: 0,
			clockOffsetSeconds: 0,
			drip: undefined,
			outcome: undefined,
		};
		for (const each of this.armed) {
			if (hits(each.fault, host, path) && use(each.fault, taken)) each.remaining -= 1;
		}
		this.armed = this.armed.filter(({ remaining }) => remaining > 0);
		return taken;
	}
}

function hits(target: Target, host: HostName, path: string): boolean {
	return (target.host ?? host) === host && (target.path ?? path) === path;
}

/** False when the place of this fault is already taken. */
function use(fault: Fault, taken: TakenFaults): boolean {
	if (!isHindrance(fault)) {
		if (taken.outcome) return false;
		taken.outcome = fault;
		return true;
	}
	switch (fault.kind) {
		case 'delay':
			if (fault.when === 'after') taken.delayAfterMs += fault.ms;
			else taken.delayBeforeMs += fault.ms;
			return true;
		case 'clockOffset':
			taken.clockOffsetSeconds += fault.seconds;
			return true;
		case 'drip':
			if (taken.drip) return false;
			taken.drip = fault;
			return true;
	}
}
