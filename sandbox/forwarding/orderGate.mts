import type { ProxyOrder } from '../accounts/order.mts';
import type { Admission } from './admission.mts';
import type { Gate, Passage, Visit } from './gate.mts';
import type { OrderedPlace } from './proxyOpener.mts';
import { refusal } from './statuses.mts';

interface Grant {
	order: ProxyOrder;
	place: OrderedPlace;
}

/** At a place that was handed out to orders: private, dedicated and overseas static proxies. */
export class OrderGate implements Gate {
	// The one that was handed out last comes last.
	private grants: Grant[] = [];

	constructor(private readonly admission: Admission) {}

	grant(order: ProxyOrder, place: OrderedPlace): void {
		this.grants = [...this.grants.filter((grant) => grant.order !== order), { order, place }];
	}

	orderIds(): string[] {
		return this.grants.map(({ order }) => order.orderId);
	}

	admit(visit: Visit): Passage {
		const grant = this.grants.findLast((each) => this.isClientOf(each, visit));
		if (!grant) throw this.admission.unknownClient(visit);
		const { order, place } = grant;
		this.admission.check(order, place.expiresAt);
		if (place.works === false) throw refusal(503, order);
		return place.exitAddress === undefined
			? { order }
			: { order, exit: { address: place.exitAddress, place: {} } };
	}

	private isClientOf({ order, place }: Grant, visit: Visit): boolean {
		if (!visit.login) return this.admission.isOnWhitelist(order, visit);
		const { username, password } = place.login ?? order.login;
		return visit.login.username === username && visit.login.password === password;
	}
}
