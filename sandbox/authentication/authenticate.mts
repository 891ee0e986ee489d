import { createHmac } from 'node:crypto';
import type { Caller, Store } from '../accounts/store.mts';
import { COMMON_CODES } from '../answers/answer.mts';
import type { Call } from '../http/call.mts';
import type { Clock } from '../time/clock.mts';
import type { Tokens } from './tokens.mts';

/** The text that is signed: decoded values, names in byte order, everything but the signature. */
function stringToSign(
	method: string,
	path: string,
	parameters: ReadonlyMap<string, string>,
): string {
	const pairs = [...parameters]
		.filter(([name]) => name !== 'signature')
		.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
		.map(([name, value]) => `${name}=${value}`);
	return `${method}${path}?${pairs.join('&')}`;
}

function signatureOf(text: string, secretKey: string): string {
	return createHmac('sha1', secretKey).update(text, 'utf8').digest('base64');
}

/**
 * Signed requests that were already accepted. How long the service remembers them is not
 * documented; here it is as long as the timestamp alone would still let them through.
 */
export class Replays {
	private readonly forgetAt = new Map<string, number>();

	constructor(
		private readonly clock: Clock,
		private readonly rememberSeconds: number,
	) {}

	/** False when the same mark was there before. */
	isFirst(mark: string): boolean {
		const now = this.clock.milliseconds();
		const known = this.forgetAt.get(mark);
		if (known !== undefined && known > now) return false;
		this.forgetExpired(now);
		this.forgetAt.set(mark, now + this.rememberSeconds * 1000);
		return true;
	}

	// Marks are in the order of their arrival, so the expired ones are in front.
	private forgetExpired(now: number): void {
		for (const [mark, time] of this.forgetAt) {
			if (time > now) return;
			this.forgetAt.delete(mark);
		}
	}
}

export interface Authentication {
	store: Store;
	tokens: Tokens;
	replays: Replays;
	/** The service does not say how far a timestamp may be off. */
	timestampToleranceSeconds: number;
}

/** Finds out who calls, or throws the common code that says why the call is not believed. */
export function authenticate(call: Call, authentication: Authentication): Caller {
	const { parameters } = call;
	const secretId = parameters.get('secret_id');
	if (!secretId) throw COMMON_CODES.refusal(-101);

	// The code for an unknown secret_id is not documented; "order invalid" comes closest.
	const caller = authentication.store.findCaller(secretId);
	if (!caller) throw COMMON_CODES.refusal(-102);

	const signType = parameters.get('sign_type') ?? 'token';
	if (signType !== 'token' && signType !== 'hmacsha1') throw COMMON_CODES.refusal(-105);

	const signature = parameters.get('signature');
	if (!signature) throw COMMON_CODES.refusal(-103);

	if (signType === 'token') checkToken(signature, caller, authentication);
	else checkSignature(signature, call, caller, authentication);

	checkClientAddress(call, caller);
	return caller;
}

/** Whether the account lets this machine call its API at all. */
export function checkClientAddress(call: Call, { account }: Caller): void {
	if (account.apiWhitelist && !account.apiWhitelist.includes(call.clientAddress)) {
		throw COMMON_CODES.refusal(-108);
	}
}

function checkToken(value: string, { keys }: Caller, { tokens }: Authentication): void {
	if (value === keys.secretKey) throw COMMON_CODES.refusal(-122);
	const token = tokens.find(keys.secretId, value);
	if (!token) throw COMMON_CODES.refusal(-104);
	if (token.refusedWith !== undefined) throw COMMON_CODES.refusal(token.refusedWith);
	if (token.remainingMs === 0) throw COMMON_CODES.refusal(-107);
}

function checkSignature(
	signature: string,
	call: Call,
	{ keys }: Caller,
	{ replays, timestampToleranceSeconds }: Authentication,
): void {
	const { parameters } = call;
	const timestamp = parameters.get('timestamp');
	if (timestamp === undefined || timestamp === '') throw COMMON_CODES.refusal(-110);
	if (!/^\d{1,15}$/.test(timestamp)) throw COMMON_CODES.refusal(-111);
	const serverSeconds = Math.floor(call.serverTime.getTime() / 1000);
	if (Math.abs(serverSeconds - Number(timestamp)) > timestampToleranceSeconds) {
		throw COMMON_CODES.refusal(-112);
	}

	// No limit is documented. The service's own client sends the time in nanoseconds: 19 digits
	const nonce = parameters.get('nonce');
	if (nonce !== undefined && !/^[1-9]\d{0,18}$/.test(nonce)) throw COMMON_CODES.refusal(-113);

	const text = stringToSign(call.method, call.sentPath, parameters);
	if (signature !== signatureOf(text, keys.secretKey)) throw COMMON_CODES.refusal(-104);

	// Without a nonce, two equal calls within one second are the same request. Whether the service
	// refuses those is not documented; the stricter reading finds the client that relies on it.
	const mark = nonce === undefined ? signature : `${nonce} ${timestamp}`;
	if (!replays.isFirst(`${keys.secretId} ${mark}`)) throw COMMON_CODES.refusal(-114);
}
