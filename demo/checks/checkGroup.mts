import type { Check } from '../report.mts';
import type { Session } from '../session.mts';

/** Claims that belong together, proved in a running session. */
export interface CheckGroup {
	/** Named when the group breaks off before its claims are through. */
	readonly name: string;
	run(session: Session, check: Check): Promise<void>;
}
