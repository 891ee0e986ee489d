import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at } from '../../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../../harness/realN8n/index.mts';
import { kuaidaili, MANUAL_TRIGGER, manualWorkflow } from '../../../harness/realN8n/workflows.mts';
import { World, type OrderKind } from '../../operations/world.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

type Fields = Readonly<Record<string, unknown>>;

/** A list, a tunnel, and logins of their own: the engine's tests extract all products. */
const PRODUCTS: ReadonlyArray<readonly [kind: OrderKind, fields: Fields]> = [
	['dps', { product: 'DPS', num: 2 }],
	['tps', { product: 'TPS', options: { session: 'abc' } }],
	['sfps', { product: 'SFPS' }],
];

const PAGES = ['http', 'https'] as const;

/** What comes out of Extract is what HTTP Request needs, for pages over http and https. */
export const products: CheckGroup<E2eSession> = {
	name: 'Products',
	async run(session, check) {
		for (const [kind, fields] of PRODUCTS) {
			const name = `Pages are opened through the proxies of ${kind} (${JSON.stringify(fields)})`;
			await check(name, async () => {
				await provePages(session, kind, fields);
			});
		}
		for (const page of PAGES) {
			await check(`Without login and whitelist, HTTP Request says 407 (${page})`, async () => {
				const person = await newPerson(session, 'dps');
				const run = await person.run({ product: 'DPS', num: 1, options: { login: 'none' } }, page);
				expectEqual(run.status, 'error', 'the end of the run');
				const error = at(run.saved, 'data', 'resultData', 'error');
				// As docs/failing-requests.md says
				expectEqual(at(error, 'httpCode'), '407', 'the status');
				expectEqual(at(error, 'description'), 'White IP Failed: 127.0.0.1', 'the description');
			});
		}
	},
};

/** Somebody with an order of that kind. */
async function newPerson(session: E2eSession, kind: OrderKind) {
	const { n8n, sandbox } = session;
	const world = new World(sandbox, 'order', kind);
	const credential = await saveCredential(session, world);
	const sites = await sandbox.pages.open();

	async function run(fields: Fields, page: (typeof PAGES)[number]) {
		const parameters = { resource: 'proxy', operation: 'extract', product: 'OPS', ...fields };
		const request = {
			name: page,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `${sites[page]}/ip`,
				options: { proxy: '={{ $json.proxyUrl }}', timeout: 20_000 },
			},
		};
		const workflow = manualWorkflow(
			`Products: ${kind}`,
			[kuaidaili(parameters, credential), request],
			{ items: [{}] },
		);
		const id = await n8n.createWorkflow(workflow);
		return await n8n.runWorkflow(id, MANUAL_TRIGGER);
	}

	return { world, run };
}

async function provePages(session: E2eSession, kind: OrderKind, fields: Fields): Promise<void> {
	const person = await newPerson(session, kind);
	for (const page of PAGES) {
		const before = session.sandbox.proxyLog.entries().length;
		const run = await person.run(fields, page);
		const records = recordsIn(itemsOf(run, 'Kuaidaili'));
		expect(records.length > 0, 'there are no proxies');
		const seen = addressesSeen(run, page);
		const passed = session.sandbox.proxyLog.entries().slice(before);
		expectEqual(passed.length, records.length, 'the number of requests to the proxies');
		expectEqual(
			new Set(passed.map(({ proxy }) => proxy)).size,
			new Set(records.map(({ address }) => address)).size,
			'the number of proxies that were used',
		);
		for (const { orderId, refusedWith } of passed) {
			expectEqual(orderId, person.world.theOrder.orderId, 'the order of the proxy');
			expectEqual(refusedWith, undefined, 'the refusal of the proxy');
		}
		const exits = passed.map(({ exit }) => String(exit)).sort();
		expectEqual([...seen].sort().join(), exits.join(), `what the page over ${page} saw`);
		// A tunnel has one address for all; where it leaves to the page, only the log of the proxies tells
		if (kind !== 'tps')
			expectEqual(seen.join(), records.map(({ host }) => host).join(), 'the exit of each proxy');
		for (const address of seen) {
			expect(address.startsWith('127.'), `the page saw ${address}`);
			expect(address !== '127.0.0.1', 'the page saw this machine itself');
		}
	}
}

/** What the page said to each item. */
function addressesSeen(run: FinishedRun, page: string): string[] {
	return recordsIn(itemsOf(run, page)).map(({ address }) => String(address));
}
