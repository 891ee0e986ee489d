import type { ForgottenTokenCode } from '../authentication/tokens.mts';
import type { HostName } from '../http/call.mts';

/** Whether a fault strikes before the service did the work or after. */
export type Moment = 'before' | 'after';

/** Which calls are hit, and how many of them: without `times`, all until the faults are cleared. */
export interface Target {
	path?: string;
	host?: HostName;
	/** Only calls with this key. */
	secretId?: string;
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

/** Something in front of the service has a wrong clock: only the Date header shows it. */
export interface DateOffsetFault {
	kind: 'dateOffset';
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

/**
 * A cache on the way: the first call that it hits is answered by the service, all others with the same
 * key and the same own parameters get that answer again and never reach the service.
 */
export interface CacheFault {
	kind: 'cache';
}

/**
 * A proxy or gateway on the way delivers the request twice, byte for byte. For the service these are
 * two calls: each is in the log, can be hit by the other faults, and does its work if it is let in.
 * Signed with hmacsha1 the second one is a replay. The caller gets one answer, after both.
 */
export interface TwiceFault {
	kind: 'twice';
	/** Which answer the caller gets. The last by default, as from nginx when it has tried again. */
	answer?: 'first' | 'last';
	/** Cuts the connection of the first delivery: the reason why nginx makes a second one. */
	cutFirst?: Moment;
	/** Between the end of the first and the second; 0 by default, which breaks most rules of pace. */
	gapMs?: number;
}

/**
 * The service no longer knows the token that a call comes with: this call and all later ones with it
 * get the code, -104 by default, and get_secret_token makes a new one. Hits no call without a token
 * that would still be good.
 */
export interface ForgottenTokenFault {
	kind: 'forgottenToken';
	code?: ForgottenTokenCode;
}

/**
 * Before the call came, the key pair of its order was changed in the member center: getordersecret has
 * the new one. The code is what the old pair gets from then on: -104, by default, when only the
 * SecretKey is new, -102 when the SecretId is new as well. Hits no call with an account's key.
 */
export interface ChangedKeyPairFault {
	kind: 'changedKeyPair';
	code?: -102 | -104;
}

/** Something that happened at the service, and stays so when the fault is switched off. */
export type Incident = ForgottenTokenFault | ChangedKeyPairFault;

/** Several of these can hit one call. */
export type Hindrance = DelayFault | DripFault | DateOffsetFault;

/** What takes the place of the service's answer, whatever that would have been. */
export type Disruption = HangFault | CutFault | StatusFault | HtmlFault | RawFault;

/** Only one of these decides how a call ends. */
export type Outcome = Disruption | HalfBodyFault | CodeFault | CacheFault;

export type AnyFault = Hindrance | Outcome | Incident | TwiceFault;

export type Fault = Target & AnyFault;

export function isIncident(fault: AnyFault): fault is Incident {
	return fault.kind === 'forgottenToken' || fault.kind === 'changedKeyPair';
}

export function isHindrance(fault: AnyFault): fault is Hindrance {
	return ['delay', 'drip', 'dateOffset'].includes(fault.kind);
}

export function isDisruption(fault: Outcome): fault is Disruption {
	return fault.kind !== 'halfBody' && fault.kind !== 'code' && fault.kind !== 'cache';
}

/** When it strikes; unless said otherwise, before the work. */
export function momentOf(fault: Disruption | CodeFault): Moment {
	return fault.when ?? 'before';
}
