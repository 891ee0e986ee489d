// @ts-check
/**
 * One way out for every program of this repository: whatever was opened is closed again, newest
 * first, also when the program is interrupted or loses the npm that runs it.
 */
const CLOSE_LIMIT_MS = 20_000;
/** npm passes Ctrl+C on to a program that the terminal has already told. */
const SAME_SIGNAL_MS = 1_500;

/** @type {Array<() => Promise<unknown>>} */
const closers = [];

/** @type {Promise<void> | undefined} */
let closing;

/**
 * @param {() => Promise<unknown>} close
 * @returns {() => void} for what was closed in the ordinary way: takes it off the list
 */
export function onShutdown(close) {
	closers.push(close);
	return () => {
		const index = closers.indexOf(close);
		if (index >= 0) closers.splice(index, 1);
	};
}

/** What fails from then on fails because it is being stopped. */
export function isShuttingDown() {
	return closing !== undefined;
}

/** Closes everything that was registered, once. A closer that fails or hangs does not keep the others. */
export function shutDown() {
	closing ??= closeAll();
	return closing;
}

async function closeAll() {
	for (let close = closers.pop(); close; close = closers.pop()) {
		/** @type {NodeJS.Timeout | undefined} */
		let timer;
		const limit = new Promise((resolve) => {
			timer = setTimeout(resolve, CLOSE_LIMIT_MS);
		});
		await Promise.race([close().catch(() => undefined), limit]);
		clearTimeout(timer);
	}
}

/** Call it once, at the start of a program. */
export function shutDownOnSignals() {
	let firstSignalAt = 0;
	/** @param {number} exitCode */
	const leave = (exitCode) => {
		if (!firstSignalAt) {
			firstSignalAt = Date.now();
			console.log('\nStopping.');
			void shutDown().then(() => process.exit(exitCode));
		} else if (Date.now() - firstSignalAt > SAME_SIGNAL_MS) {
			process.exit(exitCode);
		}
	};
	process.on('SIGINT', () => leave(130));
	process.on('SIGTERM', () => leave(143));
	process.on('SIGHUP', () => leave(129));

	// A shell between npm and this program does not pass signals on; it just disappears.
	const parent = process.ppid;
	if (process.env.npm_lifecycle_event !== undefined) {
		setInterval(() => {
			if (process.ppid !== parent) leave(143);
		}, 1_000).unref();
	}
}
