/**
 * One at a time, also across programs: a second run waits until the first is done. The holder
 * touches the lock file again and again, so that a lock left behind by a crash is recognised on
 * any machine that shares the folder.
 */
import { mkdir, open, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onShutdown } from '../../scripts/shutdown.mjs';
import { isRecord } from '../outsideData.mts';

const TOUCH_EVERY_MS = 5_000;
const LEFT_BEHIND_AFTER_MS = 30_000;
const LOOK_AGAIN_MS = 1_000;

/** @param onWait called once when somebody else is at work */
export async function withLock<T>(
	file: string,
	work: () => Promise<T>,
	onWait: () => void,
): Promise<T> {
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

async function take(file: string): Promise<boolean> {
	try {
		await (await open(file, 'wx')).close();
		return true;
	} catch (error) {
		if (isRecord(error) && error.code === 'EEXIST') return false;
		throw error;
	}
}

async function isLeftBehind(file: string): Promise<boolean> {
	try {
		return Date.now() - (await stat(file)).mtimeMs > LEFT_BEHIND_AFTER_MS;
	} catch {
		return false;
	}
}
