import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import {
	KUAIDAILI,
	kuaidaili,
	MANUAL_TRIGGER,
	manualWorkflow,
} from '../../../harness/realN8n/workflows.mts';
import { CHINESE_TEXTS } from '../../../sandbox/pages/chineseTexts.mts';
import { World, type OrderKind } from '../../operations/world.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

type Fields = Readonly<Record<string, unknown>>;

/** One whose proxies are extracted, and a tunnel: the engine's tests open pages through all. */
const PRODUCTS: ReadonlyArray<readonly [kind: OrderKind, fields: Fields]> = [
	['dpsPerIp', { product: 'DPS' }],
	['tps', { product: 'TPS' }],
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
		await check('A page as a file lies where n8n keeps files', async () => {
			const urls = [`${origins.https}/article/1`];
			const fields = { product: 'TPS', responseFormat: 'file' };
			const file = at(
				itemsOf(await run(session, 'tps', urls, fields), KUAIDAILI),
				0,
				'binary',
				'data',
			);
			expect(/^(?:filesystem|database)/.test(String(at(file, 'id'))), `${excerpt(file)}`);
		});
		await check('Nobody came to a page without a proxy', () => {
			expect(sites.visits.entries().length > 20, 'too few came to prove anything');
			expectEqual(sites.visits.direct().length, 0, 'those who came directly');
		});
	},
};

/** Shows the attempts of each page. */
const DETAILED = { options: { simplify: false } };

async function run(session: E2eSession, kind: OrderKind, urls: readonly string[], fields: Fields) {
	const { n8n, sandbox } = session;
	const world = new World(sandbox, 'order', kind);
	const parameters = {
		resource: 'page',
		operation: 'open',
		url: '={{ $json.url }}',
		...DETAILED,
		...fields,
	};
	const node = kuaidaili(parameters, await saveCredential(session, world));
	const items = urls.map((url) => ({ url }));
	return await n8n.runWorkflow(
		await n8n.createWorkflow(manualWorkflow(`Pages: ${kind}`, [node], { items })),
		MANUAL_TRIGGER,
	);
}

async function open(session: E2eSession, kind: OrderKind, urls: readonly string[], fields: Fields) {
	const finished = await run(session, kind, urls, fields);
	return {
		status: finished.status,
		items: finished.status === 'success' ? recordsIn(itemsOf(finished, KUAIDAILI)) : [],
	};
}

/** Such as "timeout, opened 200". */
function outcomesOf(item: Readonly<Record<string, unknown>>): string {
	return readList(item, 'pageDetails', 'attempts')
		.map((attempt) => [at(attempt, 'outcome'), at(attempt, 'statusCode')].filter(Boolean).join(' '))
		.join(', ');
}
