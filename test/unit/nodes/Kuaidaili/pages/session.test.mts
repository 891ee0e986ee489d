import { setTimeout as sleep } from 'node:timers/promises';

import { openPage } from '../../../../../nodes/Kuaidaili/pages/openPage.ts';
import {
	fakeSender,
	inTurn,
	outcomesOf,
	surroundedBy,
	fakeSource,
	pageRequest,
	sessionOf,
} from './fakePages.mts';

describe('a session', () => {
	it('keeps its proxy and its cookies over pages', async () => {
		const { source } = fakeSource();
		const { send, requests } = fakeSender(({ url }) =>
			url.endsWith('/login') ? { headers: { 'set-cookie': ['sid=1; Path=/'] } } : { body: 'in' },
		);
		const session = sessionOf(source, true);
		const surroundings = surroundedBy({ send, session });
		await openPage(pageRequest({ url: 'http://site.example/login' }), surroundings);
		const { attempts, sessionRestarted } = await openPage(pageRequest(), surroundings);
		expect(requests[1].headers).toMatchObject({ Cookie: 'sid=1' });
		expect(attempts[0].proxy).toBe('10.0.0.1:8000');
		expect(sessionRestarted).toBeUndefined();
	});

	it('starts anew without cookies when its proxy ends, and says so', async () => {
		const { source } = fakeSource();
		const { send, requests } = fakeSender(
			inTurn(
				{ headers: { 'set-cookie': ['sid=1; Path=/'] } },
				{ status: 454, body: 'Proxy Authentication Expired' },
				{ body: 'ok' },
			),
		);
		const session = sessionOf(source, true);
		const surroundings = surroundedBy({ send, session });
		await openPage(pageRequest(), surroundings);
		const second = await openPage(pageRequest(), surroundings);
		expect(outcomesOf(second)).toEqual(['proxyExpired 454', 'opened 200']);
		expect(second.sessionRestarted).toBe(true);
		expect(requests[2].headers).not.toHaveProperty('Cookie');
		expect(requests).toHaveLength(3);
		const third = await openPage(pageRequest(), surroundings);
		expect(third.sessionRestarted).toBeUndefined();
	});

	it('starts anew at once when its proxy has come to its end between two pages', async () => {
		const { source, inUse } = fakeSource(Infinity, 0.05);
		const { send } = fakeSender(() => ({ body: 'ok' }));
		const session = sessionOf(source, true);
		const surroundings = surroundedBy({ send, session });
		await openPage(pageRequest(), surroundings);
		await sleep(60);
		const second = await openPage(pageRequest(), surroundings);
		expect(second.attempts).toMatchObject([{ proxy: '10.0.0.2:8000', outcome: 'opened' }]);
		expect(second.sessionRestarted).toBe(true);
		expect([...inUse]).toEqual(['10.0.0.2:8000']);
	});
});
