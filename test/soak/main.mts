/** `npm run soak`: the packed package in a real n8n for a long time, at the pace of the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runChecks } from '../../harness/checks/checks.mts';
import { readCommandLine, wholeNumber } from '../../scripts/commandLine.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import { memory, money, pages, work } from './checks.mts';
import { LaneRunner } from './laneRunner.mts';
import { openLanes } from './lanes.mts';
import { sampleMemory, type MemorySample } from './memory.mts';
import { openSession } from './session.mts';

const SAMPLES = 40;
const SHORTEST_BETWEEN_SAMPLES_MS = 5_000;

const usage = `Usage: npm run soak [-- options]

  --minutes <n>  how long to run (20 if not given; memory is judged from 10 on)
  --help         show this`;

const { minutes = '20' } = readCommandLine(usage, { minutes: { type: 'string' } });
const holds = await soak(wholeNumber(usage, minutes, { least: 1, most: 24 * 60 }));
await shutDown();
process.exit(holds ? 0 : 1);

async function soak(minutes: number): Promise<boolean> {
	const session = await openSession(console.log);
	const lanes = await openLanes(session);
	console.log(`Working for ${minutes} minutes.`);
	const lastsMs = minutes * 60_000;
	const begin = performance.now();
	const endsAt = begin + lastsMs;
	const runner = new LaneRunner(lanes, endsAt);
	const working = runner.run();

	const samples: MemorySample[] = [];
	const everyMs = Math.max(SHORTEST_BETWEEN_SAMPLES_MS, lastsMs / SAMPLES);
	while (performance.now() + everyMs < endsAt && session.server.isRunning()) {
		await sleep(everyMs);
		const seconds = (performance.now() - begin) / 1000;
		// Looking takes so long that calls under way would be late
		const sample = await runner.atRest(() => sampleMemory(session.probeUrl));
		samples.push(sample);
		const { heap, resident } = sample;
		const items = lanes.reduce((sum, { total }) => sum + total.items, 0);
		const failures = lanes.reduce((sum, lane) => sum + lane.failures.length, 0);
		console.log(
			`${seconds.toFixed(0).padStart(6)} s  heap ${heap.toFixed(1)} MB, resident ${resident.toFixed(0)} MB, ${session.sandbox.log.count()} calls, ${items} items, ${failures} failures`,
		);
	}
	await working;
	const seconds = (performance.now() - begin) / 1000;
	const setup = { session, lanes, samples, seconds, say: console.log };
	return await runChecks([work, pages, money, memory], setup, console.log);
}
