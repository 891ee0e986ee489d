import { ResponseCache } from '../responseCache';
import type { KeyPair } from '../credential/kuaidailiCredential';
import type { SecretToken } from '../credential/secretToken';
import { RateLimiter } from './rateLimiter';

/** Keeps the service's rate limits for all nodes, items and executions of this process. */
export const rateLimiter = new RateLimiter();

/** Secret tokens shared by all executions of this process, each until it has to be renewed, a day at most. */
export const secretTokens = new ResponseCache<SecretToken>({
	longestAgeMs: 86_400_000,
	largestSize: 500,
	isUsable: ({ renewAt }) => Date.now() < renewAt,
});

/** Key pairs of orders that the service handed out, for five minutes at most. */
export const orderKeyPairs = new ResponseCache<KeyPair>({
	longestAgeMs: 300_000,
	largestSize: 500,
});
