import type { Logger } from 'n8n-workflow';

interface Services {
	get<T>(service: abstract new (...parts: never[]) => T): T;
}

/** Loads a package as n8n-core does: it may have a copy of its own. */
function loadAsEngine<T>(name: string): T {
	return require(require.resolve(name, { paths: [require.resolve('n8n-core')] }));
}

/** Everything of n8n's engine that is there once. */
export const { Container } = loadAsEngine<{ Container: Services }>('@n8n/di');
const { Logger: LoggerService } = loadAsEngine<{
	Logger: abstract new () => Logger;
}>('@n8n/backend-common');

/** What nodes get as `this.logger`. */
export const n8nLogger = Container.get(LoggerService);
