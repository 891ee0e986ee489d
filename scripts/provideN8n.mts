/** Usage: node scripts/run.mjs scripts/provideN8n.mts. Installs the n8n of the demo, where it is missing. */
import { CURRENT_N8N, provideN8n } from '../harness/realN8n/index.mts';
import { shutDown } from './shutdown.mjs';

await provideN8n(CURRENT_N8N, console.log);
await shutDown();
