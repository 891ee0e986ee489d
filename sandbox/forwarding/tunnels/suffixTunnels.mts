import type { Clock } from '../../time/clock.mts';
import type { Visit } from '../gate.mts';
import { type Exits, HeldExits, type Tunnel, type Wishes } from './exits.mts';

/** What a suffix may say, by its name. */
type SuffixForms = Readonly<Record<string, RegExp>>;

type Suffixes = ReadonlyMap<string, string>;

/**
 * Reads `-region-US-area-New York`. Undefined when there is a name or a value in it that is not known,
 * or a name twice: what the service does then is not documented.
 */
function readSuffixes(text: string, forms: SuffixForms): Suffixes | undefined {
	const [before, ...namesAndValues] = text.split(new RegExp(`-(${Object.keys(forms).join('|')})-`));
	if (before !== '') return undefined;

	const suffixes = new Map<string, string>();
	for (let index = 0; index < namesAndValues.length; index += 2) {
		const [name = '', value = ''] = namesAndValues.slice(index, index + 2);
		if (suffixes.has(name) || !forms[name]?.test(value)) return undefined;
		suffixes.set(name, value);
	}
	return suffixes;
}

const OVERSEAS_FORMS: SuffixForms = {
	region: /^[A-Z]{2}$/,
	area: /^\S.*$/,
	// Minutes. The longest one is not documented; here it is that of extracted ones.
	period: /^(0|[1-9]|[12]\d|30)$/,
	cont: /^(nasa|as|eu|af|oa)$/,
};

const PRO_FORMS: SuffixForms = {
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

const SHORTEST_PERIOD_SHOWN_MS = 30_000;

interface Session {
	key: string;
	milliseconds: number;
}

/**
 * The client says with every request for how long it wants an exit, for which session, and where. Without
 * a period, which an overseas order may have in the member center, each request has its own exit.
 */
export class SuffixTunnel implements Tunnel {
	private readonly forms: SuffixForms;
	private readonly held: HeldExits;
	// How each sid was used last.
	private readonly sessions = new Map<string, Session>();

	constructor(product: 'FPS' | 'TPS_PRO', clock: Clock, exits: Exits) {
		this.forms = product === 'FPS' ? OVERSEAS_FORMS : PRO_FORMS;
		this.held = new HeldExits(clock, exits);
	}

	exitFor({ connection }: Visit, { suffix, note }: Wishes): string | undefined {
		const suffixes = readSuffixes(suffix, this.forms);
		if (!suffixes || note !== undefined) return undefined;

		const milliseconds = Number(suffixes.get('period') ?? 0) * 60_000;
		// A session without a period is documented as nothing: the exit changes all the same.
		if (milliseconds === 0) return this.held.forConnection(connection, suffix);

		const sid = suffixes.get('sid') ?? '';
		if (sid !== '') this.sessions.set(sid, { key: suffix, milliseconds });
		return this.held.forTime(suffix, milliseconds);
	}

	/** The addresses that are held now, by session. Short ones are not reported. */
	currentAddresses(): Map<string, string> {
		const addresses = new Map<string, string>();
		for (const [sid, { key, milliseconds }] of this.sessions) {
			const exit = this.held.find(key);
			if (exit === undefined) this.sessions.delete(sid);
			else if (milliseconds >= SHORTEST_PERIOD_SHOWN_MS) addresses.set(sid, exit);
		}
		return addresses;
	}
}
