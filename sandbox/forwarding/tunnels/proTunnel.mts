import type { Clock } from '../../time/clock.mts';
import type { Exit, Exits } from '../exits.mts';
import type { Visit } from '../gate.mts';
import { HeldExits } from './heldExits.mts';
import { placeIn, readSuffixes, type SuffixForms } from './suffixes.mts';
import type { Tunnel, Wishes } from './tunnel.mts';

const FORMS: SuffixForms = {
	period: /^(0\.25|0\.5|[1-9]|[12]\d|30)$/,
	sid: /^[^-]{1,6}$/,
	// There is a seventh, for the north-west, whose code was not seen.
	area: /^(NC|EC|NEC|CC|SC|SWC)$/,
	// That the values are the codes of gettpsprovcode and gettpscitycode is likely, but was not seen.
	prov: /^\d{2}$/,
	city: /^\d{6}$/,
	type: /^(std|enh)$/,
	pool: /^[qs]\d+$/,
};

const PLACES = ['area', 'prov', 'city'];

const SHORTEST_PERIOD_SHOWN_MS = 30_000;

interface Session {
	key: string;
	milliseconds: number;
}

/** The client says with every request for how long it wants an exit, for which session, and where. */
export class ProTunnel implements Tunnel {
	private readonly held: HeldExits;
	// How each sid was used last.
	private readonly sessions = new Map<string, Session>();

	constructor(clock: Clock, exits: Exits) {
		this.held = new HeldExits(clock, exits);
	}

	exitFor({ connection }: Visit, { suffix, note }: Wishes): Exit | undefined {
		const suffixes = readSuffixes(suffix, FORMS);
		if (!suffixes || note !== undefined) return undefined;

		const place = placeIn(suffixes, PLACES);
		const minutes = suffixes.get('period');
		// A session without a period is documented as nothing: the exit changes all the same.
		if (minutes === undefined) return this.held.forConnection(connection, place);

		const sid = suffixes.get('sid') ?? '';
		const key = JSON.stringify([minutes, sid, place]);
		const milliseconds = Number(minutes) * 60_000;
		if (sid !== '') this.sessions.set(sid, { key, milliseconds });
		return this.held.forTime(key, milliseconds, place);
	}

	/** The addresses that are held now, by session. Short ones are not reported. */
	currentAddresses(): Map<string, string> {
		const addresses = new Map<string, string>();
		for (const [sid, { key, milliseconds }] of this.sessions) {
			const exit = this.held.find(key);
			if (!exit) this.sessions.delete(sid);
			else if (milliseconds >= SHORTEST_PERIOD_SHOWN_MS) addresses.set(sid, exit.address);
		}
		return addresses;
	}
}
