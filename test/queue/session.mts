import { join } from 'node:path';
import { demoCredentials } from '../../harness/credentials.mts';
import {
	cacheFolder,
	openN8n,
	openSandbox,
	sessionFolder,
	startWorker,
	type N8nRelease,
	type N8nServer,
	type N8nSession,
} from '../../harness/realN8n/index.mts';
import { startPostgres, type Postgres } from '../../harness/postgres.mts';
import { startRedis, type Redis } from '../../harness/redis.mts';

const WORKER_CONCURRENCY = 10;

/**
 * How soon a worker that is gone is noticed: n8n's own times (60, 10 and 30 seconds) take minutes. Not
 * shorter, or a busy machine would take a slow worker for one that is gone, and a request would still be under way
 * when the other worker looks for what it did.
 */
const LOCK_MS = 20_000;
const LOOK_FOR_STALLED_MS = 4_000;

/** By then, every run of a worker that is gone was found by another one: two looks after its lock ended. */
export const STALLED_FOUND_MS = LOCK_MS + 2 * LOOK_FOR_STALLED_MS;

/** n8n in queue mode: a main that takes calls, and workers that run the package. */
export interface QueueSession extends N8nSession {
	readonly redis: Redis;
	readonly postgres: Postgres;
	/** All that were ever started, the oldest first. */
	readonly workers: readonly N8nServer[];
	startWorker(): Promise<N8nServer>;
}

/** @param settings further environment variables of all processes of n8n */
export async function openQueueSession(
	release: N8nRelease,
	settings: Readonly<Record<string, string>>,
	say: (line: string) => void,
): Promise<QueueSession> {
	const sandbox = await openSandbox({ catalogueSize: 500, forwardProxies: false });
	const redis = await startRedis(say);
	// Several n8n on one sqlite file lock each other out
	const postgres = await startPostgres(say);
	say('Started the sandbox, Redis and PostgreSQL.');

	const userFolder = sessionFolder('queue');
	const { program, place, server, n8n } = await openN8n({
		userFolder,
		release,
		// The more n8n logs, the more the search for secrets in its log is worth
		logLevel: 'debug',
		credentials: demoCredentials(sandbox),
		settings: {
			...settings,
			...postgres.n8nSettings,
			// Workers start again and again
			NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: redis.host,
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			QUEUE_WORKER_LOCK_DURATION: String(LOCK_MS),
			QUEUE_WORKER_LOCK_RENEW_TIME: String(LOCK_MS / 5),
			QUEUE_WORKER_STALLED_INTERVAL: String(LOOK_FOR_STALLED_MS),
		},
		say,
	});

	const workers: N8nServer[] = [];
	const session: QueueSession = {
		sandbox,
		redis,
		postgres,
		server,
		n8n,
		userFolder,
		workers,
		async startWorker() {
			const worker = await startWorker(program, place, WORKER_CONCURRENCY);
			workers.push(worker);
			say(`Started worker ${workers.length}.`);
			return worker;
		},
	};
	return session;
}

/** Ends all workers but the oldest, so that it is known where an execution runs. */
export async function oneWorker(session: QueueSession): Promise<N8nServer> {
	const [worker, ...others] = session.workers.filter((each) => each.isRunning());
	await Promise.all(others.map(async (other) => await other.stop()));
	return worker ?? (await session.startWorker());
}

/** Starts workers until so many are running. */
export async function runningWorkers(
	session: QueueSession,
	count: number,
): Promise<readonly N8nServer[]> {
	const running = session.workers.filter((each) => each.isRunning()).slice(0, count);
	while (running.length < count) running.push(await session.startWorker());
	return running;
}
