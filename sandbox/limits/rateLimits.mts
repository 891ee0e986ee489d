/** One rule that a call has to keep, and the code it gets when it does not. */
export interface RateRule {
	/** Tells several rules of one endpoint apart. */
	name?: string;
	intervalMs: number;
	/** How many calls the interval allows, at any pace; 1 by default. */
	calls?: number;
	code: number;
}

export interface RateLimitSettings {
	on: boolean;
	/** Multiplies every interval; 0.1 makes a test of pace ten times faster. */
	scale: number;
	/** The arrival of a request cannot be measured better than this. */
	toleranceMs: number;
}

/**
 * Keeps the documented pace as an interval: "5 per second" is one call every 200 ms. A call that
 * comes earlier than the interval after the last accepted one is refused and does not count, so it does
 * not move the next allowed moment. The service publishes neither.
 */
export class RateLimits {
	/** The arrivals that still count for a rule, the oldest first. */
	private readonly accepted = new Map<string, number[]>();

	constructor(readonly settings: RateLimitSettings) {}

	/** The code of the first rule that is broken, or undefined after the call has been accepted. */
	refusal(subject: string, rules: readonly RateRule[], arrival: number): number | undefined {
		if (!this.settings.on) return undefined;
		const broken = rules.find((rule) => this.comesTooEarly(subject, rule, arrival));
		if (!broken) for (const rule of rules) this.accept(subject, rule, arrival);
		return broken?.code;
	}

	private comesTooEarly(subject: string, rule: RateRule, arrival: number): boolean {
		const arrivals = this.accepted.get(bucket(subject, rule)) ?? [];
		const [oldest] = arrivals;
		if (oldest === undefined || arrivals.length < (rule.calls ?? 1)) return false;
		const { scale, toleranceMs } = this.settings;
		return arrival - oldest < rule.intervalMs * scale - toleranceMs;
	}

	private accept(subject: string, rule: RateRule, arrival: number): void {
		const earlier = this.accepted.get(bucket(subject, rule)) ?? [];
		const counting = [...earlier, arrival].slice(-(rule.calls ?? 1));
		this.accepted.set(bucket(subject, rule), counting);
	}
}

function bucket(subject: string, { name = '' }: RateRule): string {
	return `${subject} ${name}`;
}

/** So many calls within any minute. */
export function perMinute(calls: number): RateRule {
	return { name: 'minute', intervalMs: 60_000, calls, code: -120 };
}

/** The rule of an ordinary endpoint. */
export function perSecond(calls: number): RateRule {
	return { intervalMs: 1000 / calls, code: -120 };
}
