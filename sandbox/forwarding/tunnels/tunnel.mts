import type { Exit } from '../exits.mts';
import type { Visit } from '../gate.mts';

/** What the client added to the login of an order. */
export interface Wishes {
	/** What follows the user name, `-period-1-sid-a` for one. */
	suffix: string;
	/** What follows the password and a colon; undefined when there is no colon. */
	note: string | undefined;
}

/** How the exit of an order's tunnel changes. */
export interface Tunnel {
	/** Undefined for a login that this sort of tunnel does not understand. */
	exitFor(visit: Visit, wishes: Wishes): Exit | undefined;
}
