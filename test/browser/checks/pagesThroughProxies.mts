import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { at, readString } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/finishedRun.mts';
import { KUAIDAILI, kuaidaili, runTrial } from '../../../harness/realN8n/workflows.mts';
import type { BrowserSetup } from '../setup.mts';

/** What docs/browsers.md says: which fields of a proxy a browser takes. */
export const pagesThroughProxies: CheckGroup<BrowserSetup> = {
	name: 'Pages through proxies',
	async run({ browser, session: { n8n, sandbox, inputs } }, check) {
		const site = await sandbox.pages.open();
		const orders = [
			['a private proxy', { product: 'DPS', num: 1 }, inputs.privateProxyOrder],
			['a tunnel', { product: 'TPS', options: { session: 'browser1' } }, inputs.tunnelOrder],
		] as const;
		for (const [what, fields, orderid] of orders) {
			await check(`A browser opens pages through ${what} with its login`, async () => {
				const parameters = {
					...{ resource: 'proxy', operation: 'extract', ...fields },
					orderid: { __rl: true, mode: 'id', value: orderid },
				};
				const run = await runTrial(n8n, kuaidaili(parameters, ACCOUNT_KEY));
				const proxy = at(itemsOf(run, KUAIDAILI)[0], 'json');
				const context = await browser.openContext({
					width: 800,
					height: 600,
					theme: 'light',
					proxy: {
						server: readString(proxy, 'address'),
						username: readString(proxy, 'username'),
						password: readString(proxy, 'password'),
						// Browsers go straight to this machine otherwise
						bypass: '<-loopback>',
					},
				});
				const { visits } = sandbox.pages;
				const before = visits.entries('/ip').length;
				const page = await context.newPage();
				await page.goto(`${site.http}/ip`);
				await page.goto(`${site.https}/ip`);
				await context.close();
				const ways = visits.entries('/ip').slice(before);
				const ordersUsed = ways.map(({ through }) => through?.orderId).join();
				expectEqual(
					ordersUsed,
					[orderid, orderid].join(),
					'the orders through which pages were opened',
				);
			});
		}
	},
};
