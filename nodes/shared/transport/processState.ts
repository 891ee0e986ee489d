import { AnswerCache } from '../answerCache';
import type { KeyPair } from '../credential/kuaidailiCredential';
import { SecretTokenStore } from '../credential/secretTokenStore';
import { PaceKeeper } from './paceKeeper';

/** Keeps the service's rate limits for all nodes, items and executions of this process. */
export const paceKeeper = new PaceKeeper();

/** Secret tokens shared by all executions of this process. */
export const secretTokens = new SecretTokenStore();

/** Key pairs of orders that the service handed out, for five minutes at most. */
export const orderKeyPairs = new AnswerCache<KeyPair>({ longestAgeMs: 300_000, largestSize: 500 });
