import type { HostName } from './http/call.mts';

export interface LoggedRequest {
	/** 1 for the first request of the sandbox's life, also after the log was cleared. */
	number: number;
	/** By the clock of the sandbox. */
	time: Date;
	/** In monotonic milliseconds: the distance of two arrivals is the real pace. */
	arrival: number;
	host: HostName;
	method: string;
	path: string;
	/** 2 for what a gateway on the way has delivered a second time. */
	delivery: 1 | 2;
	/** Decoded, without the secret key. */
	parameters: Record<string, string>;
	/** The code of the service's answer, also when the answer was lost on the way. */
	code: number | undefined;
	/** The HTTP status that was sent, if any was. */
	status: number | undefined;
	/** The service did what was asked for, whether or not the caller came to know. */
	workDone: boolean;
	refusedByRateLimit: boolean;
	/** The kind of fault that decided the outcome. */
	fault: string | undefined;
	/** 'dropped' is an answer that a gateway did not pass on, because it passed on the other one. */
	outcome: 'open' | 'answered' | 'dropped' | 'hung' | 'cut';
}

interface Arrived
	extends Pick<LoggedRequest, 'time' | 'arrival' | 'host' | 'method' | 'path' | 'delivery'> {
	parameters: ReadonlyMap<string, string>;
}

/** Every request to the service hosts, from the moment it arrives. */
export class RequestLog {
	private readonly logged: LoggedRequest[] = [];
	private requestsSoFar = 0;

	open({ time, arrival, host, method, path, delivery, parameters }: Arrived): LoggedRequest {
		this.requestsSoFar += 1;
		const entry: LoggedRequest = {
			number: this.requestsSoFar,
			time,
			arrival,
			host,
			method,
			path,
			delivery,
			parameters: Object.fromEntries(
				[...parameters].map(([name, value]) => [name, name === 'secret_key' ? '***' : value]),
			),
			code: undefined,
			status: undefined,
			workDone: false,
			refusedByRateLimit: false,
			fault: undefined,
			outcome: 'open',
		};
		this.logged.push(entry);
		return entry;
	}

	/** Oldest first; of one path, or of all. */
	entries(path?: string): readonly LoggedRequest[] {
		return path === undefined ? [...this.logged] : this.logged.filter((each) => each.path === path);
	}

	count(path?: string): number {
		return this.entries(path).length;
	}

	/** What a client that keeps the pace never causes. */
	refusals(path?: string): readonly LoggedRequest[] {
		return this.entries(path).filter((each) => each.refusedByRateLimit);
	}

	last(path?: string): LoggedRequest | undefined {
		return this.entries(path).at(-1);
	}

	clear(): void {
		this.logged.length = 0;
	}
}
