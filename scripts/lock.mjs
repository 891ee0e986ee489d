// @ts-check
/**
 * One at a time, also across programs: a second run waits until the first is done. The holder
 * touches the lock file again and again, so that a lock left behind by a crash is recognised on
 * any machine that shares the folder.
 */
import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onShutdown } from './shutdown.mjs';

const TOUCH_EVERY_MS = 5_000;
const LEFT_BEHIND_AFTER_MS = 30_000;
const LOOK_AGAIN_MS = 1_000;

/**
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {() => void} onWait called once when somebody else is at work
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait) {
	await mkdir(dirname(file), { recursive: true });
	let told = false;
	while (!(await take(file))) {
		if (await isLeftBehind(file)) {
			await rm(file, { force: true });
			continue;
		}
		if (!told) onWait();
		told = true;
		await sleep(LOOK_AGAIN_MS);
	}
	const touch = setInterval(() => {
		const now = new Date();
		utimes(file, now, now).catch(() => undefined);
	}, TOUCH_EVERY_MS);
	const release = async () => {
		clearInterval(touch);
		await rm(file, { force: true });
	};
	const forget = onShutdown(release);
	try {
		return await work();
	} finally {
		forget();
		await release();
	}
}

/** @param {string} file */
async function take(file) {
	try {
		await (await open(file, 'wx')).close();
		return true;
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
		throw error;
	}
}

/** @param {string} file */
async function isLeftBehind(file) {
	try {
		return Date.now() - (await stat(file)).mtimeMs > LEFT_BEHIND_AFTER_MS;
	} catch {
		return false;
	}
}
