import type { Logger } from 'n8n-workflow';

interface Services {
	get(service: unknown): Logger;
}

/** Loads a package as n8n-core does: it may have a copy of its own. */
function loadAsEngine<T>(name: string): T {
	return require(require.resolve(name, { paths: [require.resolve('n8n-core')] }));
}

const { Container } = loadAsEngine<{ Container: Services }>('@n8n/di');
const { Logger: LoggerService } = loadAsEngine<{ Logger: unknown }>('@n8n/backend-common');

/** What nodes get as `this.logger`. */
export const n8nLogger = Container.get(LoggerService);
