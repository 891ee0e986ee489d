/**
 * Settings with which n8n 2.41 behaves as n8n 3.0 does by default, because n8n 3 can't be installed from npm.
 * Source: n8n's documentation of breaking changes in 3.0. The sandbox is on loopback, which SSRF protection has to
 * let through. Binary data lie in the database, since other runs keep them in files.
 */
export const LIKE_N8N_3: Readonly<Record<string, string>> = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_BLOCKED_IP_RANGES:
		'default,100.64.0.0/10,64:ff9b::/96,64:ff9b:1::/48,2001::/32,2002::/16',
	N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8,::1/128',
	N8N_DEFAULT_BINARY_DATA_MODE: 'database',
	// In queue mode only
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
};
