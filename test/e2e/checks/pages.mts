import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { MANUAL_TRIGGER, manualWorkflow } from '../../../harness/realN8n/manualWorkflow.mts';
import { CHINESE_TEXTS } from '../../../sandbox/pages/chineseTexts.mts';
import { World, type OrderKind } from '../../operations/world.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

type Fields = Readonly<Record<string, unknown>>;

const NODE = 'Kuaidaili';

/** Every product that pages can be opened through. */
const PRODUCTS: ReadonlyArray<readonly [kind: OrderKind, fields: Fields]> = [
	['dpsPerIp', { product: 'DPS' }],
	['kpsSeveral', { product: 'KPS' }],
	['tps', { product: 'TPS' }],
	['tpsPro', { product: 'TPS_PRO' }],
	['fps', { product: 'FPS' }],
	['fps', { product: 'FPS', connection: 'extraction' }],
	['sfps', { product: 'SFPS' }],
];

const SCHEMES = ['http', 'https'] as const;

/** Page: Open as a workflow of n8n runs it, with n8n's own way to send requests. */
export const pages: CheckGroup<E2eSession> = {
	name: 'Pages',
	async run(session, check) {
		const { pages: sites } = session.sandbox;
		const origins = await sites.open();
		for (const [kind, fields] of PRODUCTS) {
			for (const scheme of SCHEMES) {
				const what = `${Object.values(fields).join(' ')} (order ${kind}, ${scheme})`;
				await check(`Five pages are opened through ${what}`, async () => {
					const urls = Array.from({ length: 5 }, (_none, n) => `${origins[scheme]}/article/${n}`);
					const { status, items } = await open(session, kind, urls, fields);
					expectEqual(status, 'success', 'the end of the run');
					expectEqual(items.length, urls.length, 'the number of items');
					items.forEach((item, n) => {
						expect(String(item.data).includes(`Article ${n}`), `no article ${n}: ${excerpt(item)}`);
						expectEqual(outcomesOf(item), 'opened 200', `the attempts of ${n}`);
					});
				});
			}
		}
		await check('30 pages are opened although every fourth proxy is dead', async () => {
			const { proxyFaults, extractions } = session.sandbox;
			proxyFaults.add({ dies: 'refuse', everyNth: 4 });
			const urls = Array.from({ length: 30 }, (_none, n) => `${origins.http}/article/${n}`);
			// By chance, three of one page's proxies can be dead ones
			const run = await open(session, 'dpsPerIp', urls, { product: 'DPS', maxAttempts: 6 });
			proxyFaults.clear();
			expectEqual(run.status, 'success', 'the end of the run');
			const outcomes = run.items.map(outcomesOf).join(', ').split(', ');
			const dead = outcomes.filter((outcome) => outcome === 'proxyFailed').length;
			expect(dead > 0, 'no proxy was dead, so nothing is proved');
			expectEqual(outcomes.length, 30 + dead, 'the number of attempts');
			const used = extractions.total({ orderId: run.world.theOrder.orderId });
			expectEqual(used, 30 + dead, 'the number of proxies that were used up');
			expect(run.hints.includes('30 of 30 pages were opened.'), `the hint: ${run.hints}`);
		});
		await check(
			'Chinese pages in GBK and Big5 are readable, GBK without a charset anywhere',
			async () => {
				const charsets = ['gbk', 'big5'] as const;
				const urls = [
					`${origins.https}/charset/gbk?by=nothing`,
					`${origins.https}/charset/big5?by=meta`,
				];
				const { items } = await open(session, 'tps', urls, { product: 'TPS' });
				charsets.forEach((charset, n) => {
					const { text } = CHINESE_TEXTS[charset];
					expect(String(items[n]?.data).includes(text), `${charset}: ${excerpt(items[n])}`);
				});
			},
		);
		await check('A cookie stays for the next page of its session', async () => {
			const paths = ['/cookies/set?cookie=a%3D1', '/cookies'];
			const urls = paths.map((path) => `${origins.http}${path}`);
			const fields = { product: 'DPS', sessionKey: 'one' };
			const { items } = await open(session, 'dpsPerIp', urls, fields);
			expectEqual(at(items[1], 'data', 'a'), '1', 'the cookie');
		});
		await check('An article is Markdown', async () => {
			const fields = { product: 'DPS', responseFormat: 'markdown' };
			const { items } = await open(session, 'dpsPerIp', [`${origins.https}/article/7`], fields);
			const text = String(items[0]?.data);
			expect(text.includes('Article 7') && !text.includes('<'), `the text: ${text}`);
		});
		await check('Nobody came to a page without a proxy', () => {
			expect(sites.visits.entries().length > 100, 'too few came to prove anything');
			expectEqual(sites.visits.direct().length, 0, 'those who came directly');
		});
	},
};

async function open(session: E2eSession, kind: OrderKind, urls: readonly string[], fields: Fields) {
	const { n8n, sandbox } = session;
	const world = new World(sandbox, 'order', kind);
	const parameters = { resource: 'page', operation: 'open', url: '={{ $json.url }}', ...fields };
	const workflow = manualWorkflow({
		name: `Pages: ${kind}`,
		nodes: [
			{
				id: 'open',
				name: NODE,
				type: 'n8n-nodes-kuaidaili.kuaidaili',
				typeVersion: 1,
				position: [220, 0],
				parameters,
				credentials: await saveCredential(session, world),
			},
		],
		connections: { [MANUAL_TRIGGER]: { main: [[{ node: NODE, type: 'main', index: 0 }]] } },
	});
	const pinData = { [MANUAL_TRIGGER]: urls.map((url) => ({ json: { url } })) };
	const run = await n8n.runWorkflow(
		await n8n.createWorkflow({ ...workflow, pinData }),
		MANUAL_TRIGGER,
	);
	const task = at(run.saved, 'data', 'resultData', 'runData', NODE, 0);
	const hints = at(task, 'hints') === undefined ? [] : readList(task, 'hints');
	return {
		world,
		status: run.status,
		items: run.status === 'success' ? recordsIn(itemsOf(run, NODE)) : [],
		hints: hints.map((hint) => String(at(hint, 'message'))).join(' '),
	};
}

/** Such as "timeout, opened 200". */
function outcomesOf(item: Readonly<Record<string, unknown>>): string {
	return readList(item, 'pageDetails', 'attempts')
		.map((attempt) => [at(attempt, 'outcome'), at(attempt, 'statusCode')].filter(Boolean).join(' '))
		.join(', ');
}
