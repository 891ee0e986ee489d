import type { ProxyOrder } from '../accounts/order.mts';
import type { ProxyStatus } from './statuses.mts';

/** A refusal that a test brings about, of those that nothing here leads to by itself. */
export interface ProxyFault {
	status: ProxyStatus;
	/** Without one, every proxy refuses, also open ones. */
	orderId?: string;
	/** How often; until it is taken away by default. */
	times?: number;
}

export class ProxyFaults {
	private faults: ProxyFault[] = [];

	add(...faults: readonly ProxyFault[]): void {
		this.faults.push(...faults.map((fault) => ({ ...fault })));
	}

	list(): readonly ProxyFault[] {
		return this.faults.map((fault) => ({ ...fault }));
	}

	clear(): void {
		this.faults = [];
	}

	/** Of a client that has been let in. The fault that was added first decides. */
	take(order: ProxyOrder | undefined): ProxyStatus | undefined {
		const fault = this.faults.find(
			({ orderId }) => orderId === undefined || orderId === order?.orderId,
		);
		if (fault?.times !== undefined) {
			fault.times -= 1;
			if (fault.times <= 0) this.faults = this.faults.filter((each) => each !== fault);
		}
		return fault?.status;
	}
}
