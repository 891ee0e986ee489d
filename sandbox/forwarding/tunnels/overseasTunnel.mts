import type { OverseasProxyOrder } from '../../accounts/order.mts';
import type { Clock } from '../../time/clock.mts';
import type { Exit, Exits } from '../exits.mts';
import type { Visit } from '../gate.mts';
import { HeldExits } from './heldExits.mts';
import { placeIn, readSuffixes, type SuffixForms, type Suffixes } from './suffixes.mts';
import type { Tunnel, Wishes } from './tunnel.mts';

const FORMS: SuffixForms = {
	region: /^[A-Z]{2}$/,
	area: /^\S.*$/,
	// Minutes. The longest one is not documented; here it is that of extracted ones.
	period: /^(0|[1-9]|[12]\d|30)$/,
	cont: /^(nasa|as|eu|af|oa)$/,
};

const PLACES = ['region', 'area', 'cont'];

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
		const suffixes = readSuffixes(suffix, FORMS);
		if (!suffixes || note !== undefined) return undefined;

		const wanted = new Map([...fromHeaders(visit), ...suffixes]);
		const asked = placeIn(wanted, PLACES);
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
			return value !== undefined && FORMS[suffix]?.test(value) ? [[suffix, value]] : [];
		}),
	);
}
