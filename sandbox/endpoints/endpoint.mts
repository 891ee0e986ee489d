import type { Account } from '../accounts/account.mts';
import { isUsable, type Order } from '../accounts/order.mts';
import type { Caller } from '../accounts/store.mts';
import type { Whitelists } from '../accounts/whitelists.mts';
import {
	type Answer,
	COMMON_CODES,
	JSON_LAYOUT,
	type Layout,
	type OwnCodes,
	Refusal,
} from '../answers/answer.mts';
import { authenticate, type Authentication } from '../authentication/authenticate.mts';
import type { Call, HostName, Method } from '../http/call.mts';
import type { OpenProxySupply } from '../extraction/openSupply.mts';
import type { ExtractionLedger, Ledger } from '../orders/ledger.mts';
import type { ProductSupplies } from '../extraction/supplies.mts';
import type { Tunnels } from '../forwarding/tunnels/tunnels.mts';
import { perSecond, type RateLimits, type RateRule } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import type { DedicatedCity, OverseasStock, PrivateStock } from '../orders/stock.mts';
import type { Random } from '../random.mts';
import type { Settings } from '../settings.mts';
import type { Clock } from '../time/clock.mts';

/** Everything an endpoint may use. */
export interface Service {
	authentication: Authentication;
	clock: Clock;
	limits: RateLimits;
	supply: OpenProxySupply;
	products: ProductSupplies;
	extractions: ExtractionLedger;
	stock: readonly DedicatedCity[];
	privateStock: PrivateStock;
	overseasStock: OverseasStock;
	ledger: Ledger;
	whitelists: Whitelists;
	tunnels: Tunnels;
	random: Random;
	settings: Settings;
}

/** A call from somebody who may make it, if the rules of pace are kept. */
export interface AdmittedCall {
	/** Whose pace is measured. */
	secretId: string;
	rules: readonly RateRule[];
	work: () => Answer | Promise<Answer>;
}

export interface Endpoint {
	path: string;
	hosts: readonly HostName[];
	/** Another method gets -106. */
	methods: readonly Method[];
	/** Which pair of keys it wants. */
	key: 'account' | 'order' | 'any';
	layout: (parameters: ReadonlyMap<string, string>) => Layout;
	/** The service's words for a code of this endpoint. */
	message: (code: number) => string | undefined;
	admit: (call: Call, service: Service) => AdmittedCall;
}

interface EndpointSettings {
	path: string;
	hosts: readonly HostName[];
	layout?: Endpoint['layout'];
	/** Those beside the common ones. */
	codes?: { message: (code: number) => string | undefined };
}

export interface Use {
	call: Call;
	service: Service;
}

/** An endpoint's own code for the wrong kind of key beside the common -123, and whether it is the usual one. */
export interface WrongKey {
	code: number;
	msg: string;
	byDefault?: boolean | ((call: Call) => boolean);
}

function wrongKeyRefusal(
	wrongKey: WrongKey | undefined,
	call: Call,
	{ wrongKeyCode }: Settings,
): Refusal {
	const { byDefault = false } = wrongKey ?? {};
	const isUsual = typeof byDefault === 'boolean' ? byDefault : byDefault(call);
	const usual = isUsual ? 'endpoint' : 'common';
	return wrongKey && (wrongKeyCode ?? usual) === 'endpoint'
		? new Refusal(wrongKey.code, wrongKey.msg)
		: COMMON_CODES.refusal(-123);
}

interface AccountEndpointSettings extends EndpointSettings {
	callsPerSecond: number;
	wrongKey?: WrongKey;
	answer: (use: Use & { account: Account }) => Answer | Promise<Answer>;
}

/** An endpoint that wants the key of the account. */
export function accountEndpoint(settings: AccountEndpointSettings): Endpoint {
	return {
		...common(settings),
		key: 'account',
		admit: (call, service) => {
			const caller = authenticate(call, service.authentication);
			if (caller.kind !== 'account')
				throw wrongKeyRefusal(settings.wrongKey, call, service.settings);
			return {
				secretId: caller.keys.secretId,
				rules: [perSecond(settings.callsPerSecond)],
				work: () => settings.answer({ account: caller.account, call, service }),
			};
		},
	};
}

interface OrderEndpointSettings extends EndpointSettings {
	callsPerSecond?: number;
	/** What else limits its pace. */
	rules?: (use: Use & { order: Order }) => readonly RateRule[];
	/** By default an order that is expired, unpaid or otherwise out of use gets -102. */
	servesUnusableOrders?: boolean;
	wrongKey?: WrongKey;
	answer: (use: Use & { order: Order }) => Answer | Promise<Answer>;
}

/** An endpoint that wants the key of an order. */
export function orderEndpoint(settings: OrderEndpointSettings): Endpoint {
	const { callsPerSecond, rules = () => [] } = settings;
	return {
		...common(settings),
		key: 'order',
		admit: (call, service) => {
			const caller = authenticate(call, service.authentication);
			if (caller.kind !== 'order') throw wrongKeyRefusal(settings.wrongKey, call, service.settings);
			const { order } = caller;
			if (settings.servesUnusableOrders !== true && !isUsable(order, service.clock.now())) {
				throw COMMON_CODES.refusal(-102);
			}
			return {
				secretId: caller.keys.secretId,
				rules: [
					...(callsPerSecond === undefined ? [] : [perSecond(callsPerSecond)]),
					...rules({ call, order, service }),
				],
				work: () => settings.answer({ order, call, service }),
			};
		},
	};
}

interface AnyKeyEndpointSettings extends EndpointSettings {
	callsPerSecond: number | ((caller: Caller) => number);
	answer: (use: Use & { caller: Caller }) => Answer | Promise<Answer>;
}

/** An endpoint that takes the key of the account or of an order that is in use. */
export function anyKeyEndpoint(settings: AnyKeyEndpointSettings): Endpoint {
	return {
		...common(settings),
		key: 'any',
		admit: (call, service) => {
			const caller = authenticate(call, service.authentication);
			if (caller.kind === 'order' && !isUsable(caller.order, service.clock.now())) {
				throw COMMON_CODES.refusal(-102);
			}
			const { callsPerSecond } = settings;
			return {
				secretId: caller.keys.secretId,
				rules: [
					perSecond(typeof callsPerSecond === 'number' ? callsPerSecond : callsPerSecond(caller)),
				],
				work: () => settings.answer({ caller, call, service }),
			};
		},
	};
}

interface TokenEndpointSettings extends EndpointSettings {
	callsPerSecond: number;
	identify: (call: Call, service: Service) => Caller;
	answer: (use: Use & { caller: Caller }) => Answer;
}

/** An endpoint about tokens: no signature, but the key or a token itself, and POST only. */
export function tokenEndpoint(settings: TokenEndpointSettings): Endpoint {
	return {
		...common(settings),
		key: 'any',
		methods: ['POST'],
		admit: (call, service) => {
			const caller = settings.identify(call, service);
			return {
				secretId: caller.keys.secretId,
				rules: [perSecond(settings.callsPerSecond)],
				work: () => settings.answer({ caller, call, service }),
			};
		},
	};
}

function common({ path, hosts, layout, codes }: EndpointSettings) {
	return {
		path,
		hosts,
		methods: ['GET', 'POST'] as const,
		layout: layout ?? (() => JSON_LAYOUT),
		message: (code: number) => codes?.message(code),
	};
}

/**
 * What a call asks for, with the endpoint's codes for a parameter that is not there or not right. What has
 * no effect is a wrong one, unless the settings have it ignored.
 */
export function requested<Code extends number, Request>(
	{ call, service }: Use,
	codes: OwnCodes<Code>,
	{ missing, wrong }: { missing: Code; wrong: Code },
	read: (own: OwnParameters) => Request,
): Request {
	const own = new OwnParameters(call.parameters, {
		missing: (name) => codes.refusal(missing, name),
		wrong: (name) => codes.refusal(wrong, name),
	});
	const request = read(own);
	if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
	return request;
}
