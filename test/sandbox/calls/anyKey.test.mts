import { addReadyMade } from '../../../sandbox/accounts/readyMade.mts';
import { Store } from '../../../sandbox/accounts/store.mts';
import { Whitelists } from '../../../sandbox/accounts/whitelists.mts';
import { success } from '../../../sandbox/answers/answer.mts';
import { Replays } from '../../../sandbox/authentication/authenticate.mts';
import { Tokens } from '../../../sandbox/authentication/tokens.mts';
import { Places } from '../../../sandbox/catalogue/places.mts';
import { anyKeyEndpoint, type Service } from '../../../sandbox/endpoints/endpoint.mts';
import {
	ExtractionHistory,
	MinuteCap,
	OpenProxySupply,
} from '../../../sandbox/extraction/openSupply.mts';
import { Callers } from '../../../sandbox/extraction/checkOrder.mts';
import { ExtractionLedger, Ledger } from '../../../sandbox/orders/ledger.mts';
import { productSupplies } from '../../../sandbox/extraction/supplies.mts';
import { TEXT_ONLY } from '../../../sandbox/forwarding/listeners.mts';
import { Tunnels } from '../../../sandbox/forwarding/tunnels/tunnels.mts';
import { perSecond, RateLimits } from '../../../sandbox/limits/rateLimits.mts';
import { DEFAULT_SETTINGS } from '../../../sandbox/settings.mts';
import { Clock } from '../../../sandbox/time/clock.mts';
import type { KeyPair } from '../../../sandbox/sandbox.mts';
import { signed } from '../client.mts';

const clock = new Clock();
const store = new Store();
const keys = addReadyMade(store, clock.now());
const service: Service = {
	authentication: {
		store,
		tokens: new Tokens(clock, 3600),
		replays: new Replays(clock, 600),
		timestampToleranceSeconds: 300,
	},
	clock,
	limits: new RateLimits({ on: false, scale: 1, toleranceMs: 1, jitterMs: 0 }, Math.random),
	supply: new OpenProxySupply(
		[],
		new ExtractionHistory(clock),
		new MinuteCap(),
		TEXT_ONLY,
		Math.random,
	),
	products: productSupplies({
		places: new Places('own addresses', Math.random),
		opener: TEXT_ONLY,
		privateStock: new Map(),
		clock,
		random: Math.random,
	}),
	callers: new Callers(clock),
	extractions: new ExtractionLedger(clock),
	stock: [],
	privateStock: new Map(),
	overseasStock: { retail: [], package: [] },
	ledger: new Ledger(clock),
	whitelists: new Whitelists(clock),
	tunnels: new Tunnels(clock),
	random: Math.random,
	settings: { ...DEFAULT_SETTINGS },
};

const PATH = '/api/either';

const endpoint = anyKeyEndpoint({
	path: PATH,
	hosts: ['base'],
	rule: perSecond(1),
	answer: ({ caller }) => success(caller.kind),
});

function admit(pair: KeyPair) {
	return endpoint.admit(
		{
			number: 1,
			host: 'base',
			method: 'GET',
			path: PATH,
			parameters: new Map(Object.entries(signed(pair, 'GET', PATH))),
			clientAddress: '127.0.0.1',
			arrival: 0,
			serverTime: clock.now(),
		},
		service,
	);
}

it.each([
	['account', keys.account],
	['order', keys.dps],
] as const)('takes the key of an %s', async (kind, pair) => {
	const { secretId, rules, work } = admit(pair);
	expect({ secretId, rules }).toEqual({ secretId: pair.secretId, rules: [perSecond(1)] });
	expect(await work()).toEqual(success(kind));
});

it('but not of an order that is over, and no wrong one', () => {
	expect(() => admit(keys.opsExpired)).toThrow('-102');
	expect(() => admit({ ...keys.account, secretKey: 'wrong' })).toThrow('-104');
});
