import { Server, Socket } from 'node:net';
import { performance as realPerformance } from 'node:perf_hooks';
import type { Transform } from 'node:stream';
import nodeTimers from 'node:timers';
import { TLSSocket } from 'node:tls';
import { Unzip } from 'node:zlib';

import FakeTimers from '@sinonjs/fake-timers';

import { seededRandom } from '../sandbox/random.mts';
import { seed, startOfTime } from './seed.mts';

/*
 * Time that stands still while something is done, and moves on to the next timer when everything waits.
 * What waits for the pace of calls then takes as long as its work, and on a busy machine no call comes
 * late: node, engine and sandbox share this one process and its one clock.
 *
 * What is no global of the tests keeps real time: node:timers/promises, process.hrtime and the time-outs
 * of sockets.
 */

/** Everything happens in this process: what has arrived is handled in one of the next turns of the event loop. */
const QUIET_TURNS = 3;
/** Between two looks while no timer is set: a computation, or real time, is waited for. */
const IDLE_MS = 1;

/**
 * Of real time: what is on its way for longer does not arrive, because it is for another process, or nobody reads it.
 * On a busy machine, the system alone may take tenths of a second.
 */
const LONGEST_ARRIVAL_MS = 1000;
/** Between two looks at what is on its way. */
const LONGEST_LOOK_MS = 5;
/** To ask all sockets and requests takes longer than a turn, and what arrives is an event. */
const TURNS_UNTIL_ASKED_AGAIN = 100;

/** A step that may be the time-out of something that is at work where nobody sees it, such as in another thread. */
const LONG_STEP_MS = 30_000;
/** Of real time without any event, before a step that long. */
const SETTLING_MS = 2;

/** Work in the background that ends without the event loop seeing anything before. */
const BACKGROUND_WORK = /^(FSReq|GetAddrInfo|GetNameInfo|Connect|Write|Shutdown)/;

const realSetTimeout = globalThis.setTimeout;
const realSetImmediate = globalThis.setImmediate;
const realAbortSignal = globalThis.AbortSignal;

const clock = FakeTimers.withGlobal(globalThis).install({
	now: startOfTime(),
	toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
});
// Servers of Node.js look after their connections each 30 s, which no test waits for
for (const { methodName, original } of clock.timersModuleMethods ?? []) {
	Reflect.set(nodeTimers, methodName, original);
}
const start = clock.now;
Math.random = seededRandom(seed);
/** How far the date was moved, which no duration may contain. */
let movedMs = 0;

const setVirtualTimeout = globalThis.setTimeout;
globalThis.setTimeout = Object.assign(
	// At least a millisecond, as in Node.js: whoever waits for a part of one would wait for ever
	(work: () => void, ms: number = 1) => setVirtualTimeout(work, Math.max(1, ms)),
	setVirtualTimeout,
);

// Copies, because other test files of the process use the same objects
globalThis.performance = Object.create(realPerformance, {
	now: { value: () => clock.now - start - movedMs, writable: true, configurable: true },
});
globalThis.AbortSignal = new Proxy(realAbortSignal, {
	get: (target, name) => (name === 'timeout' ? abortedAfter : Reflect.get(target, name)),
});

/** Moves the date of this process, and with it that of the sandbox. No timer goes off by that. */
export function moveDate(milliseconds: number): void {
	movedMs += milliseconds;
	clock.setSystemTime(clock.now + milliseconds);
}

/** Back to the date that the process began with, and what has passed since. */
export function resetDate(): void {
	moveDate(-movedMs);
}

function abortedAfter(ms: number): AbortSignal {
	const controller = new AbortController();
	const abort = () => controller.abort(new DOMException('The time is over', 'TimeoutError'));
	globalThis.setTimeout(abort, ms);
	return controller.signal;
}

/** Streams of zlib that work in another thread. */
const unpacking = new Set<Transform>();
const zlibStreams: Transform = Object.getPrototypeOf(Object.getPrototypeOf(Unzip.prototype));
const transform = zlibStreams._transform;
zlibStreams._transform = function (chunk, encoding, done) {
	unpacking.add(this);
	transform.call(this, chunk, encoding, (...result) => {
		unpacking.delete(this);
		done(...result);
	});
};

function worksInBackground(): boolean {
	for (const stream of unpacking) if (stream.destroyed) unpacking.delete(stream);
	return (
		unpacking.size > 0 ||
		process.getActiveResourcesInfo().some((name) => BACKGROUND_WORK.test(name))
	);
}

const between = (from?: number, to?: number) => `${from}>${to}`;

/** Of servers that listen, by their handles: to ask hundreds of them each time would take a fifth of a test's time. */
const portsOfServers = new WeakMap<object, number | undefined>();

function portOf(server: Server): number | undefined {
	const handle: object = Reflect.get(server, '_handle') ?? server;
	if (!portsOfServers.has(handle)) {
		const address = server.address();
		portsOfServers.set(handle, typeof address === 'string' ? undefined : address?.port);
	}
	return portsOfServers.get(handle);
}

/**
 * What a socket has sent, its connection, or its end that has not reached the other one: on a busy machine, that takes
 * a while. By socket, how much of it there is.
 */
function onTheirWay(): Map<Socket, number> {
	const handles: unknown[] = Reflect.get(process, '_getActiveHandles').call(process);
	const sockets = handles.filter((handle) => handle instanceof Socket);
	const ports = new Set(handles.filter((handle) => handle instanceof Server).map(portOf));
	const accepted = new Map<string, Socket>();
	for (const socket of sockets) {
		const { localPort, remotePort } = socket;
		if (ports.has(localPort ?? 0)) accepted.set(between(localPort, remotePort), socket);
	}
	const found = new Map<Socket, number>();
	for (const socket of sockets) {
		const { localPort, remotePort } = socket;
		if (socket.connecting) {
			found.set(socket, -1);
		} else if (ports.has(remotePort ?? 0)) {
			const other = accepted.get(between(remotePort, localPort));
			if (other === undefined) found.set(socket, socket.bytesWritten);
			else if (hasToRead(socket, other)) found.set(socket, other.bytesWritten);
			else if (hasToRead(other, socket)) found.set(other, socket.bytesWritten);
		}
	}
	return found;
}

/** Encrypted sockets count other bytes than they send. */
function hasToRead(reader: Socket, writer: Socket): boolean {
	if (reader instanceof TLSSocket || writer instanceof TLSSocket) return false;
	return !reader.isPaused() && reader.bytesRead < writer.bytesWritten;
}

/** What is waited for: how much of it there is, and for how long it has been the same. */
const waits = new WeakMap<Socket, { readonly amount: number; readonly ms: number }>();
let lookedAt = realPerformance.now();

function isOnItsWay(): boolean {
	const now = realPerformance.now();
	// Not for how long the process itself could not run
	const passedMs = Math.min(now - lookedAt, LONGEST_LOOK_MS);
	lookedAt = now;
	let isAny = false;
	for (const [socket, amount] of onTheirWay()) {
		const known = waits.get(socket);
		const ms = known?.amount === amount ? known.ms + passedMs : 0;
		waits.set(socket, { amount, ms });
		isAny ||= ms < LONGEST_ARRIVAL_MS;
	}
	return isAny;
}

function eventsSoFar(): number {
	return realPerformance.nodeTiming.uvMetricsInfo.events;
}

/** What somebody waits for, and whom to tell. */
const awaited = new Map<() => void, () => boolean>();

/**
 * Waits for what will be so. It is looked at whenever nothing else happens, before time moves on: looking again and
 * again by a timer would make time move in small steps.
 */
export async function until(isSo: () => boolean, longestMs = 5000): Promise<void> {
	if (isSo()) return;
	await new Promise<void>((resolve, reject) => {
		const timer = globalThis.setTimeout(() => {
			awaited.delete(found);
			reject(new Error(`Not so after ${longestMs} ms: ${isSo}`));
		}, longestMs);
		const found = () => {
			awaited.delete(found);
			clearTimeout(timer);
			resolve();
		};
		awaited.set(found, isSo);
	});
}

/** @returns whether somebody has gone on */
function tellWhoWaits(): boolean {
	const found = [...awaited].filter(([, isSo]) => isSo());
	for (const [tell] of found) tell();
	return found.length > 0;
}

/** When the last event was seen, or a timer went off, on the real clock. */
let eventSeenAt = realPerformance.now();

function hasSettled(): boolean {
	const next = clock.timerHeap?.peek()?.callAt ?? Infinity;
	return next - clock.now < LONG_STEP_MS || realPerformance.now() - eventSeenAt >= SETTLING_MS;
}

let isInUse = true;

function moveOnWhenQuiet(eventsBefore: number, quietTurns = 0): void {
	const look = () => {
		if (!isInUse) return;
		const events = eventsSoFar();
		const turns = events === eventsBefore ? quietTurns + 1 : 0;
		if (quietTurns === 0) eventSeenAt = realPerformance.now();
		const isAsked = turns === QUIET_TURNS || (turns > 0 && turns % TURNS_UNTIL_ASKED_AGAIN === 0);
		const isQuiet = isAsked && !worksInBackground();
		const hasGoneOn = isQuiet && tellWhoWaits();
		const mayMove = isQuiet && !isOnItsWay() && hasSettled();
		if (mayMove && !hasGoneOn) clock.next();
		moveOnWhenQuiet(events, mayMove || hasGoneOn || (isAsked && !isQuiet) ? 0 : turns);
	};
	if (clock.countTimers() > 0) realSetImmediate(look);
	else realSetTimeout(look, IDLE_MS).unref();
}

moveOnWhenQuiet(eventsSoFar());

afterAll(() => {
	isInUse = false;
	zlibStreams._transform = transform;
	clock.uninstall();
});
