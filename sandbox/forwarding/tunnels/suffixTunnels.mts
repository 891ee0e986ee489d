import type { OverseasProxyOrder } from '../../accounts/order.mts';
import type { Clock } from '../../time/clock.mts';
import type { Visit } from '../gate.mts';
import { type Exit, type Exits, HeldExits, type Tunnel, type Wishes } from './exits.mts';

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

/** Those that say where the exit shall be. */
function placeIn(suffixes: Suffixes, names: readonly string[]): Record<string, string> {
	return Object.fromEntries([...suffixes].filter(([name]) => names.includes(name)));
}

const OVERSEAS_FORMS: SuffixForms = {
	region: /^[A-Z]{2}$/,
	area: /^\S.*$/,
	// Minutes. The longest one is not documented; here it is that of extracted ones.
	period: /^(0|[1-9]|[12]\d|30)$/,
	cont: /^(nasa|as|eu|af|oa)$/,
};

const OVERSEAS_PLACES = ['region', 'area', 'cont'];

const HEADERS: ReadonlyArray<readonly [suffix: string, header: string]> = [
	['region', 'kdl-region'],
	['area', 'kdl-area'],
	['period', 'kdl-period'],
];

/** The user name says where and for how long, or else headers, or else the order. */
export class OverseasTunnel implements Tunnel {
	private readonly held: HeldExits;

	constructor(
		private readonly order: OverseasProxyOrder,
		clock: Clock,
		exits: Exits,
	) {
		this.held = new HeldExits(clock, exits);
	}

	exitFor(visit: Visit, { suffix, note }: Wishes): Exit | undefined {
		const suffixes = readSuffixes(suffix, OVERSEAS_FORMS);
		if (!suffixes || note !== undefined) return undefined;

		const wanted = new Map([...fromHeaders(visit), ...suffixes]);
		const asked = placeIn(wanted, OVERSEAS_PLACES);
		// The order's own country does not count where another one, or a continent, was asked for.
		const place =
			asked.region || asked.cont ? asked : { region: this.order.transferArea, ...asked };
		// Which period an order has is set in the member center. Here each request has its own exit.
		const minutes = Number(wanted.get('period') ?? 0);
		if (minutes === 0) return this.held.forConnection(visit.connection, place);
		return this.held.forTime(JSON.stringify([minutes, place]), minutes * 60_000, place);
	}
}

// A header that says nothing that can be understood has no effect.
function fromHeaders({ header }: Visit): Suffixes {
	return new Map(
		HEADERS.flatMap(([suffix, name]) => {
			const value = header(name);
			return value !== undefined && OVERSEAS_FORMS[suffix]?.test(value) ? [[suffix, value]] : [];
		}),
	);
}

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

const PRO_PLACES = ['area', 'prov', 'city'];

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
		const suffixes = readSuffixes(suffix, PRO_FORMS);
		if (!suffixes || note !== undefined) return undefined;

		const place = placeIn(suffixes, PRO_PLACES);
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
