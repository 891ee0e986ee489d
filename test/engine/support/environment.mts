import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * Where n8n's engine keeps its settings and what it writes to its log. Loaded before n8n-core: it
 * reads these once, and would otherwise make a settings file in the home of whoever runs the tests.
 */
export const userFolder = mkdtempSync(join(tmpdir(), 'engine-tests-'));
export const logFile = join(userFolder, 'n8n.log');

process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only-for-tests';
process.env.N8N_LOG_LEVEL = 'debug';
process.env.N8N_LOG_OUTPUT = 'file';
process.env.N8N_LOG_FILE_LOCATION = logFile;

afterAll(() => rmSync(userFolder, { recursive: true, force: true }));

/** As in Node.js itself. Jest has 100, and n8n looks at the stack of each error that it makes. */
Error.stackTraceLimit = 10;
