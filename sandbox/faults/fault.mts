import type { HostName } from '../calls/call.mts';

/** Whether a fault strikes before the service did the work or after. */
export type Moment = 'before' | 'after';

/** Which calls are hit, and how many of them: without `times`, all until the faults are cleared. */
export interface Target {
	path?: string;
	host?: HostName;
	times?: number;
}

/** Waits; after the work it is only the answer that comes late. */
export interface DelayFault {
	kind: 'delay';
	ms: number;
	when?: Moment;
}

/** Sends the answer in pieces, with a pause before each. */
export interface DripFault {
	kind: 'drip';
	ms: number;
	bytes?: number;
}

/** The server's clock is wrong: it shows in the Date header and in the check of timestamps. */
export interface ClockOffsetFault {
	kind: 'clockOffset';
	seconds: number;
}

/** Never answers and keeps the connection. */
export interface HangFault {
	kind: 'hang';
	when?: Moment;
}

/** Ends the connection without an answer: in order by default, or with a TCP reset. */
export interface CutFault {
	kind: 'cut';
	how?: 'end' | 'reset';
	when?: Moment;
}

/** Something in front of the service answers instead of it. */
export interface StatusFault {
	kind: 'status';
	status: number;
	when?: Moment;
	body?: string;
	contentType?: string;
	retryAfter?: string;
	location?: string;
}

/** A page for people, with status 200. */
export interface HtmlFault {
	kind: 'html';
	when?: Moment;
	body?: string;
}

/** These characters and nothing else, with status 200. */
export interface RawFault {
	kind: 'raw';
	body: string;
	when?: Moment;
	contentType?: string;
}

/** Half of the answer, after the work. With 'full' the whole length is promised and then the connection cut. */
export interface HalfBodyFault {
	kind: 'halfBody';
	promise?: 'half' | 'full';
}

/** A code of the service. It comes after the checks of key, signature and pace, which can refuse the call first. */
export interface CodeFault {
	kind: 'code';
	code: number;
	msg?: string;
	when?: Moment;
}

/** Several of these can hit one call. */
export type Hindrance = DelayFault | DripFault | ClockOffsetFault;

/** What takes the place of the service's answer, whatever that would have been. */
export type Disruption = HangFault | CutFault | StatusFault | HtmlFault | RawFault;

/** Only one of these decides how a call ends. */
export type Outcome = Disruption | HalfBodyFault | CodeFault;

export type Fault = Target & (Hindrance | Outcome);

export function isHindrance(fault: Hindrance | Outcome): fault is Hindrance {
	return fault.kind === 'delay' || fault.kind === 'drip' || fault.kind === 'clockOffset';
}

export function isDisruption(fault: Outcome): fault is Disruption {
	return fault.kind !== 'halfBody' && fault.kind !== 'code';
}

/** When it strikes; unless said otherwise, before the work. */
export function momentOf(fault: Disruption | CodeFault): Moment {
	return fault.when ?? 'before';
}
