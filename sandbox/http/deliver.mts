import type { Call } from '../calls/call.mts';
import type { Endpoint } from '../endpoints/endpoint.mts';
import type { Outcome, TwiceFault } from '../faults/fault.mts';
import type { Faults, TakenFaults } from '../faults/faults.mts';
import type { LoggedRequest, RequestLog } from '../requestLog.mts';
import { monotonicMs } from '../time/monotonic.mts';
import type { Ending } from './outgoing.mts';
import { pause } from './pause.mts';
import { respond, type Surroundings } from './respond.mts';

/** A request as it came in. */
export interface Arrival extends Omit<Call, 'number' | 'serverTime'> {
	/** By the clock of the sandbox. */
	time: Date;
}

export interface DeliveryParts extends Surroundings {
	log: RequestLog;
	faults: Faults;
}

interface Delivered {
	faults: TakenFaults;
	entry: LoggedRequest;
	ending: Ending;
}

/** Brings a request to its endpoint, once or, with a gateway on the way that repeats it, twice. */
export async function deliver(
	arrival: Arrival,
	endpoint: Endpoint,
	parts: DeliveryParts,
): Promise<Ending> {
	const first = await deliverOnce(arrival, { delivery: 1 }, endpoint, parts);
	const { twice } = first.faults;
	if (!twice) return first.ending;

	// It goes on also when the caller has left, which nginx would do only if told so: the worst case.
	await pause(twice.gapMs ?? 0, parts.closing);
	const again = { ...arrival, time: parts.service.clock.now(), arrival: monotonicMs() };
	const { secondCode } = twice;
	const second = await deliverOnce(again, { delivery: 2, secondCode }, endpoint, parts);

	const [passedOn, dropped] = twice.answer === 'first' ? [first, second] : [second, first];
	if (dropped.entry.outcome === 'answered') dropped.entry.outcome = 'dropped';
	return passedOn.ending;
}

async function deliverOnce(
	arrival: Arrival,
	{ delivery, secondCode }: { delivery: 1 | 2; secondCode?: number | undefined },
	endpoint: Endpoint,
	parts: DeliveryParts,
): Promise<Delivered> {
	const { path } = endpoint;
	const { log, service } = parts;
	const entry = log.open({ ...arrival, delivery });
	const taken = parts.faults.take({ ...arrival, path, delivery });
	const faults = { ...taken, outcome: taken.outcome ?? ownOutcome(taken.twice, secondCode) };
	const call: Call = {
		...arrival,
		number: entry.number,
		path,
		serverTime: new Date(service.clock.milliseconds() + faults.clockOffsetSeconds * 1000),
	};
	return { faults, entry, ending: await respond({ call, endpoint, faults, entry }, parts) };
}

/** What happens to only one of two deliveries. */
function ownOutcome(twice: TwiceFault | undefined, secondCode?: number): Outcome | undefined {
	if (twice?.cutFirst !== undefined) return { kind: 'cut', when: twice.cutFirst };
	return secondCode === undefined ? undefined : { kind: 'code', code: secondCode };
}
