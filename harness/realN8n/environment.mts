import { delimiter } from 'node:path';
import type { N8nProgram } from './program.mts';

/** Where one n8n keeps its files and what it listens on. */
export interface N8nPlace {
	readonly userFolder: string;
	readonly port: number;
	/** For n8n's own helper processes; two n8n on one machine must not share it. */
	readonly brokerPort: number;
	readonly encryptionKey: string;
	readonly logLevel: 'info' | 'debug';
	/** Further environment variables, such as those of queue mode. */
	readonly settings?: Readonly<Record<string, string>>;
}

/** What a process needs from the machine. Everything else could change how n8n behaves. */
const FROM_THE_MACHINE =
	/^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|NODE_EXTRA_CA_CERTS)$/i;

/**
 * The environment of an n8n that stands alone on this machine: it listens on loopback only, and
 * asks nothing of the internet. Settings of the person's own n8n do not reach it.
 */
export function n8nEnvironment(program: N8nProgram, place: N8nPlace): NodeJS.ProcessEnv {
	const machine = Object.entries(process.env).filter(([name]) => FROM_THE_MACHINE.test(name));
	return {
		...Object.fromEntries(machine),
		PATH: [program.binFolder, process.env.PATH].filter(Boolean).join(delimiter),
		N8N_USER_FOLDER: place.userFolder,
		N8N_ENCRYPTION_KEY: place.encryptionKey,
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(place.port),
		N8N_RUNNERS_BROKER_PORT: String(place.brokerPort),
		NO_COLOR: '1',
		N8N_LOG_LEVEL: place.logLevel,
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		// Only the list of verified nodes on n8n's site; the installed package loads all the same.
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		EXTERNAL_FRONTEND_HOOKS_URLS: '',
		NODE_OPTIONS: `--import=${new URL('endWithParent.mjs', import.meta.url).href}`,
		...place.settings,
	};
}
