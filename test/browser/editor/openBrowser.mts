import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext } from 'playwright-core';
import { ensureProgram } from '../../../scripts/debianPackages.mjs';
import { onShutdown } from '../../../scripts/shutdown.mjs';

const ARGUMENTS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];
/** A step of the editor that takes longer is a failure, on a slow machine too. */
const STEP_LIMIT_MS = 60_000;
/** The editor is some megabytes of scripts, which a busy machine takes minutes for. */
const LOAD_LIMIT_MS = 240_000;
const IN_PAGE = fileURLToPath(new URL('inPage.js', import.meta.url));

export type Theme = 'light' | 'dark';

/** How large a page is and how it looks. */
export interface Look {
	readonly width: number;
	readonly height: number;
	readonly theme: Theme;
	/** Pixels of a picture for each of the page; 1 if not given. */
	readonly scale?: number;
}

export interface OpenBrowser {
	/** A page with cookies and storage of its own. */
	openContext(look: Look): Promise<BrowserContext>;
}

/** Starts Chromium, and brings it first where it is missing. */
export async function openBrowser(say: (line: string) => void): Promise<OpenBrowser> {
	const executablePath = await ensureProgram('chromium', ['chromium', 'fonts-noto-cjk'], say);
	const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
	onShutdown(() => browser.close());
	say(`Started Chromium ${browser.version()}.`);
	return {
		async openContext({ width, height, theme, scale }) {
			const context = await browser.newContext({
				viewport: { width, height },
				colorScheme: theme,
				deviceScaleFactor: scale,
			});
			context.setDefaultTimeout(STEP_LIMIT_MS);
			context.setDefaultNavigationTimeout(LOAD_LIMIT_MS);
			await context.addInitScript({ path: IN_PAGE });
			// The editor asks the npm registry about community packages
			await context.route(isOutside, async (route) => await route.abort());
			return context;
		},
	};
}

function isOutside({ protocol, hostname }: URL): boolean {
	return protocol.startsWith('http') && hostname !== '127.0.0.1';
}
