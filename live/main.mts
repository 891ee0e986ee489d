import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { HOSTS, type HostName, type ServiceHosts } from '../nodes/shared/service/hosts.ts';
import { shutDown } from '../scripts/shutdown.mjs';
import type { KeyPair } from './reader.mts';
import { runLive } from './run.mts';

const REPORT_FILE = 'live-report.md';
const USAGE =
	'Usage: KUAIDAILI_SECRET_ID=… KUAIDAILI_SECRET_KEY=… npm run live [-- --ips 1]. It only reads; with --ips 1, each product also hands out one proxy.';

function fail(message: string): never {
	console.error(message);
	process.exit(2);
}

function readIps(): 0 | 1 {
	try {
		const { values } = parseArgs({ options: { ips: { type: 'string', default: '0' } } });
		if (values.ips === '0') return 0;
		if (values.ips === '1') return 1;
		return fail(`--ips takes 0 or 1. ${USAGE}`);
	} catch (error) {
		return fail(`${error instanceof Error ? error.message : 'Wrong arguments.'} ${USAGE}`);
	}
}

function readKeys(): KeyPair {
	const secretId = process.env.KUAIDAILI_SECRET_ID?.trim() ?? '';
	const secretKey = process.env.KUAIDAILI_SECRET_KEY?.trim() ?? '';
	if (secretId === '' || secretKey === '') fail(USAGE);
	return { secretId, secretKey };
}

const serviceHosts = (): ServiceHosts => {
	const names = Object.keys(HOSTS) as HostName[];
	return Object.fromEntries(names.map((name) => [name, HOSTS[name].origin])) as Record<
		HostName,
		string
	>;
};

const ips = readIps();
const keys = readKeys();
const hosts = serviceHosts();

console.log(
	ips === 0
		? 'Asking Kuaidaili what may be read. Nothing is bought, changed, or used up.'
		: 'Asking Kuaidaili what may be read, and for one proxy of each product.',
);
const say = (line: string) => console.log(line);
const { report, exitCode } = await runLive({ keys, hosts, ips, say });
await writeFile(REPORT_FILE, report);
console.log(
	`\n${report}\nWritten to ${REPORT_FILE}. It holds no keys, addresses, or order numbers.`,
);
await shutDown();
process.exit(exitCode);
