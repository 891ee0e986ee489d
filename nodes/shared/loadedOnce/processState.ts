import { SecretTokenStore } from '../credential/secretTokenStore';
import { PaceKeeper } from '../transport/paceKeeper';

/** Keeps the service's rate limits for all nodes, items and executions of this process. */
export const paceKeeper = new PaceKeeper();

/** Secret tokens shared by all executions of this process. */
export const secretTokens = new SecretTokenStore();
