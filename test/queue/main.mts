/** `npm run test:queue`: the packed package in n8n's queue mode, with one main, two workers and Redis. */
import { runChecks } from '../../harness/checks/runChecks.mts';
import { CURRENT_N8N } from '../../harness/realN8n/index.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import { mixedLoad } from './checks/mixedLoad.mts';
import { openQueueSession } from './session.mts';

const session = await openQueueSession(CURRENT_N8N, console.log);
await session.startWorker();
await session.startWorker();
const holds = await runChecks([mixedLoad], session, console.log);
await shutDown();
process.exit(holds ? 0 : 1);
