import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isRecord } from '../harness/outsideData.mts';
import { cacheFolder } from '../harness/realN8n/index.mts';
import { runNpm } from '../scripts/npm.mjs';

const PACKAGE = '@crawlee/http';
const VERSION = '3.18.1';
const ONLY_ERRORS = 1;

interface Statistics {
	readonly requestsFinished: number;
}

/** What is used of it here. */
interface Crawlee {
	readonly HttpCrawler: new (
		options: Readonly<Record<string, unknown>>,
		configuration: unknown,
	) => { run(urls: readonly string[]): Promise<Statistics> };
	readonly ProxyConfiguration: new (options: { readonly proxyUrls: readonly string[] }) => unknown;
	readonly Configuration: new (options: Readonly<Record<string, unknown>>) => unknown;
	readonly log: { setLevel(level: number): void };
}

function isCrawlee(loaded: unknown): loaded is Crawlee {
	return (
		isRecord(loaded) &&
		['HttpCrawler', 'ProxyConfiguration', 'Configuration'].every(
			(name) => typeof loaded[name] === 'function',
		) &&
		isRecord(loaded.log)
	);
}

/** Installed beside n8n, and never a part of this project. */
export async function loadCrawlee(say: (line: string) => void): Promise<Crawlee> {
	const folder = join(cacheFolder(), `crawlee-${VERSION}`);
	if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) {
		say(`Installing ${PACKAGE} ${VERSION} in ${folder}.`);
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
		const quiet = ['--no-audit', '--no-fund', '--no-save'];
		await runNpm(['install', ...quiet, `${PACKAGE}@${VERSION}`], folder);
	}
	const loaded: unknown = createRequire(join(folder, 'package.json'))(PACKAGE);
	if (!isCrawlee(loaded)) throw new Error(`${PACKAGE} has changed`);
	loaded.log.setLevel(ONLY_ERRORS);
	return loaded;
}

interface CrawlSettings {
	readonly proxyUrls: readonly string[];
	readonly atATime: number;
}

/** @returns how long it took, in milliseconds, and how many pages came */
export async function crawl(
	{ HttpCrawler, ProxyConfiguration, Configuration }: Crawlee,
	urls: readonly string[],
	{ proxyUrls, atATime }: CrawlSettings,
): Promise<{ readonly ms: number; readonly pages: number }> {
	const crawler = new HttpCrawler(
		{
			proxyConfiguration: new ProxyConfiguration({ proxyUrls }),
			minConcurrency: atATime,
			maxConcurrency: atATime,
			maxRequestRetries: 3,
			requestHandler: async () => {},
		},
		new Configuration({ persistStorage: false }),
	);
	const begin = performance.now();
	const { requestsFinished } = await crawler.run(urls);
	return { ms: performance.now() - begin, pages: requestsFinished };
}
