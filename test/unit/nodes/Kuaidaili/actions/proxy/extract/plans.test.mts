import {
	DEDUP_INTERVAL_MS,
	MOST_PROXIES,
	PLAN_NAMES,
	PLANS,
} from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/plans.ts';
import {
	GET_PROXY,
	GET_PROXY_SVIP,
} from '../../../../../../../nodes/shared/service/endpoints/openProxy.ts';

it('knows what each plan gives, as the service documents it', () => {
	expect(PLANS).toEqual({
		regular: { displayName: 'Regular', endpoint: GET_PROXY, cap: 500, intervalMs: 5000 },
		vip: { displayName: 'VIP', endpoint: GET_PROXY, cap: 1000, intervalMs: 1000 },
		svip: { displayName: 'SVIP', endpoint: GET_PROXY_SVIP, cap: 2000, intervalMs: 200 },
	});
	expect([...PLAN_NAMES]).toEqual(Object.keys(PLANS));
	expect(DEDUP_INTERVAL_MS).toBe(5000);
	expect(MOST_PROXIES).toBe(100_000);
});
