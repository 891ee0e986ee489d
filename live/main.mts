import { writeFile } from 'node:fs/promises';
import { SERVICE_HOSTS } from '../nodes/shared/service/hosts.ts';
import { endMisused, readCommandLine, wholeNumber } from '../scripts/commandLine.mts';
import { shutDown } from '../scripts/shutdown.mjs';
import type { KeyPair } from './reader.mts';
import { runLive } from './run.mts';

const REPORT_FILE = 'live-report.md';
const usage =
	'Usage: KUAIDAILI_SECRET_ID=… KUAIDAILI_SECRET_KEY=… npm run live [-- --ips 1]. It only reads; with --ips 1, each product also hands out one proxy.';

function readKeys(): KeyPair {
	const secretId = process.env.KUAIDAILI_SECRET_ID?.trim() ?? '';
	const secretKey = process.env.KUAIDAILI_SECRET_KEY?.trim() ?? '';
	if (secretId === '' || secretKey === '') endMisused(usage, 'There is no key pair.');
	return { secretId, secretKey };
}

const options = readCommandLine(usage, { ips: { type: 'string', default: '0' } });
const ips = wholeNumber(usage, options.ips, { least: 0, most: 1 });
const keys = readKeys();

console.log(
	ips === 0
		? 'Asking Kuaidaili what may be read. Nothing is bought, changed, or used up.'
		: 'Asking Kuaidaili what may be read, and for one proxy of each product.',
);
const say = (line: string) => console.log(line);
const { report, exitCode } = await runLive({ keys, hosts: SERVICE_HOSTS, ips, say });
await writeFile(REPORT_FILE, report);
console.log(
	`\n${report}\nWritten to ${REPORT_FILE}. It holds no keys, addresses, or order numbers.`,
);
await shutDown();
process.exit(exitCode);
