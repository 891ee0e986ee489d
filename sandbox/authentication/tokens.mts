import { randomBytes } from 'node:crypto';
import type { Clock } from '../time/clock.mts';

/** With this much life left or less, a new token is made; the old one lives on to its own end. */
const RENEWAL_MARGIN_MS = 5 * 60 * 1000;

/** What a token can get that the service no longer knows; which one it is, is not documented. */
export type ForgottenTokenCode = -104 | -107 | -122;

interface SecretToken {
	value: string;
	expiresAt: number;
	refusedWith: ForgottenTokenCode | undefined;
}

export interface TokenState {
	value: string;
	remainingMs: number;
	/** Set when it was forgotten before its time was over. */
	refusedWith: ForgottenTokenCode | undefined;
}

/** Secret tokens by key pair. Expired ones are remembered: "expired" and "never issued" are two codes. */
export class Tokens {
	lifeSeconds = 3600;
	private readonly issued = new Map<string, SecretToken[]>();

	constructor(private readonly clock: Clock) {}

	/** The current token of a key pair, or a new one when the current one is about to end. */
	obtain(secretId: string): TokenState {
		const tokens = this.tokensOf(secretId);
		const current = tokens.findLast(({ refusedWith }) => refusedWith === undefined);
		if (current && this.remaining(current) > RENEWAL_MARGIN_MS) return this.state(current);

		const token: SecretToken = {
			value: randomBytes(13).toString('hex'),
			expiresAt: this.clock.milliseconds() + this.lifeSeconds * 1000,
			refusedWith: undefined,
		};
		tokens.push(token);
		return this.state(token);
	}

	/** Undefined when this key pair never had such a token. */
	find(secretId: string, value: string): TokenState | undefined {
		const token = this.issued.get(secretId)?.find((candidate) => candidate.value === value);
		return token && this.state(token);
	}

	/** Ends the life of every token of a key pair now: calls with them get -107. */
	expireAll(secretId: string): void {
		const now = this.clock.milliseconds();
		for (const token of this.tokensOf(secretId)) token.expiresAt = Math.min(token.expiresAt, now);
	}

	/** Forgets every token of a key pair: calls with them get -104, as if they were mistyped. */
	forgetAll(secretId: string): void {
		this.issued.delete(secretId);
	}

	/** Forgets one token: calls with it get the code. False when it is not a good one anyway. */
	forget(secretId: string, value: string, code: ForgottenTokenCode): boolean {
		const token = this.issued.get(secretId)?.find((candidate) => candidate.value === value);
		if (!token || token.refusedWith !== undefined || this.remaining(token) === 0) return false;
		token.refusedWith = code;
		return true;
	}

	private tokensOf(secretId: string): SecretToken[] {
		const known = this.issued.get(secretId);
		if (known) return known;
		const tokens: SecretToken[] = [];
		this.issued.set(secretId, tokens);
		return tokens;
	}

	private state(token: SecretToken): TokenState {
		const { value, refusedWith } = token;
		return { value, remainingMs: this.remaining(token), refusedWith };
	}

	private remaining(token: SecretToken): number {
		return Math.max(0, token.expiresAt - this.clock.milliseconds());
	}
}
