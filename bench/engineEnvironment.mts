import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onShutdown } from '../scripts/shutdown.mjs';

// Imported before n8n's engine, which makes a settings file where this says
const userFolder = mkdtempSync(join(tmpdir(), 'kuaidaili-bench-'));
onShutdown(() => rm(userFolder, { recursive: true, force: true }));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only-for-measurements';
process.env.N8N_LOG_LEVEL = 'silent';
