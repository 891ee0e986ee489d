/** Where requests leave a tunnel. */
export interface Exit {
	/** A loopback address of its own. */
	address: string;
	/** Where in the world it would be, as far as that was asked for: `{ region: 'US' }`. */
	place: Readonly<Record<string, string>>;
}

const THIRD_OCTETS = 255;
const FOURTH_OCTETS = 254;

/**
 * A new address 127.255.x.y with every call, so that a change can always be seen. Proxies do not
 * listen on these.
 */
export class Exits {
	private given: number;

	constructor(random: () => number) {
		this.given = Math.floor(random() * THIRD_OCTETS * FOURTH_OCTETS);
	}

	next(place: Exit['place'] = {}): Exit {
		this.given = (this.given + 1) % (THIRD_OCTETS * FOURTH_OCTETS);
		const third = Math.floor(this.given / FOURTH_OCTETS);
		return { address: `127.255.${third}.${1 + (this.given % FOURTH_OCTETS)}`, place };
	}
}
