import { createRequire } from 'node:module';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt, isRecord, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import {
	insertRows,
	KUAIDAILI,
	kuaidaili,
	MANUAL_TRIGGER,
	manualWorkflow,
	type NewNode,
} from '../../../harness/realN8n/workflows.mts';
import { World } from '../../operations/world.mts';
import { recordsIn, saveCredential } from '../person.mts';
import type { E2eSession } from '../session.mts';

type Values = Readonly<Record<string, unknown>>;

/** Columns that each row has of Page: Open. */
const ofPages = { url: 'string', row: 'number', pageStatus: 'string' } as const;

/** Rows of the sandbox's shop, of which the second has no price. */
const STOCK = 12;

function condition(type: string, operation: string, rightValue: unknown = ''): Values {
	return {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: 'price',
					leftValue: '={{ $json.price }}',
					rightValue,
					operator: { type, operation, ...(rightValue === '' && { singleValue: true }) },
				},
			],
			combinator: 'and',
		},
		options: {},
	};
}

/** Opens a page of the sandbox with Page: Open, and hands its rows to a node of n8n. */
async function runRows(session: E2eSession, path: string, fields: Values, next: NewNode) {
	const { n8n, sandbox } = session;
	const { https } = await sandbox.pages.open();
	const parameters = {
		resource: 'page',
		operation: 'open',
		product: 'TPS',
		url: `${https}${path}`,
		responseFormat: 'fields',
		...fields,
	};
	const credential = await saveCredential(session, new World(sandbox, 'order', 'tps'));
	const nodes = [kuaidaili(parameters, credential), next];
	const workflow = manualWorkflow(`Rows: ${path}`, nodes, { items: [{}] });
	const run = await n8n.runWorkflow(await n8n.createWorkflow(workflow), MANUAL_TRIGGER);
	const task = at(run.saved, 'data', 'resultData', 'runData', KUAIDAILI, 0);
	const hints = at(task, 'hints') === undefined ? [] : readList(task, 'hints');
	const message = at(run.saved, 'data', 'resultData', 'error', 'message');
	return {
		status: run.status === 'success' ? 'success' : `${run.status}: ${excerpt(message)}`,
		hint: hints.map((hint) => String(at(hint, 'message'))).join(' '),
		outputOf: (name: string) => recordsIn(itemsOf(run, name)),
	};
}

/**
 * What Google Sheets' node makes of items before it sends them, by n8n's own code.
 *
 * @param n8nFile the program that was started
 */
async function sheetRows(n8nFile: string, items: readonly Values[], columns: string[]) {
	const resolve = createRequire(n8nFile);
	const file = 'n8n-nodes-base/dist/nodes/Google/Sheet/v2/helpers/GoogleSheet.js';
	const loaded: unknown = resolve(file);
	const Sheet = at(loaded, 'GoogleSheet');
	if (typeof Sheet !== 'function') throw new Error(`n8n has no class GoogleSheet in ${file}`);
	const convert: unknown = at(Sheet.prototype, 'convertObjectArrayToSheetDataArray');
	if (typeof convert !== 'function') throw new Error('it converts no objects');
	const sheet = Reflect.construct(Sheet, ['id', {}]);
	const rows: unknown = await convert.call(sheet, items, 'Sheet1', 1, false, [columns]);
	return readList({ rows }, 'rows');
}

/** Rows of Page: Open in the nodes of n8n that take rows. */
export const tables: CheckGroup<E2eSession> = {
	name: 'Tables',
	async run(session, check) {
		const { n8n, program } = session;
		const number = {
			values: [
				{ name: 'name', selector: 'td:first-child', take: 'text' },
				{ name: 'price', selector: '.product-price', take: 'number' },
			],
		};
		const inRows = { rowSelector: 'tr:has(td)' };

		await check('JSON with objects and lists fits a data table', async () => {
			await n8n.createDataTable('JSON', {
				name: 'string',
				price: 'number',
				shop_name: 'string',
				shop_place_city: 'string',
				tags: 'string',
				offers: 'string',
				...ofPages,
			});
			const asRows = { rowSelector: 'items' };
			const next = insertRows('JSON');
			const { status, hint } = await runRows(session, '/shop/stock.json', asRows, next);
			expectEqual(status, 'success', 'the end of the run');
			const rows = await n8n.dataTableRows('JSON');
			expectEqual(rows.length, STOCK, 'the number of rows in the table');
			expectEqual(at(rows[0], 'shop_place_city'), 'Hangzhou', 'a value of an object');
			expectEqual(at(rows[2], 'shop_name'), null, 'a value of no object');
			expectEqual(at(rows[1], 'price'), null, 'a price that is missing');
			expectEqual(at(rows[0], 'offers'), '[{"price":1}]', 'a list of objects');
			const tags = rows.map((row) => at(row, 'tags'));
			expect(tags.includes('new\nred') && tags.includes(null), `the tags are ${excerpt(tags)}`);
			expect(hint.includes("does not take 'id'"), `the hint: ${hint}`);
		});
		await check('A data table refuses Chinese header cells, and the hint says so', async () => {
			await n8n.createDataTable('Chinese', { name: 'string', ...ofPages });
			const { status, hint } = await runRows(
				session,
				'/shop/stock',
				{ rowSelector: 'tr' },
				insertRows('Chinese'),
			);
			expect(status.startsWith('error'), `the run ended with ${status}`);
			expect(hint.includes("does not take '名称' or '价格'"), `the hint: ${hint}`);
		});
		await check('Filter and If keep rows with a price, in whatever way they ask', async () => {
			for (const [type, operation, value] of [
				['number', 'exists'],
				['number', 'notEmpty'],
				['number', 'gt', 0],
			] as const) {
				for (const node of ['filter', 'if']) {
					const next: NewNode = {
						name: 'Next',
						type: `n8n-nodes-base.${node}`,
						typeVersion: 2.2,
						parameters: condition(type, operation, value),
					};
					const { status, outputOf } = await runRows(
						session,
						'/shop/stock',
						{ ...inRows, fields: number },
						next,
					);
					expectEqual(status, 'success', `the end of the run with ${node}`);
					const kept = outputOf('Next').map((item) => item.price);
					const all = outputOf(KUAIDAILI).map((item) => item.price);
					const priced = all.filter((each) => each !== null);
					expect(priced.length < all.length, 'every row has a price');
					expectEqual(
						JSON.stringify(kept),
						JSON.stringify(priced),
						`what ${node} keeps by ${operation}`,
					);
				}
			}
		});
		const [n8nFile] = program.before;
		await check('Google Sheets gets an empty cell for what a page lacks', async () => {
			const nothing = { name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1 };
			const fields = { ...inRows, fields: number };
			const { outputOf } = await runRows(session, '/shop/stock', fields, nothing);
			const items = outputOf('Next').filter(isRecord);
			const [first, second] = await sheetRows(n8nFile, items, ['name', 'price']);
			expectEqual(JSON.stringify(first), '["Lamp 1",1.5]', 'the first row');
			expectEqual(JSON.stringify(second), '["Rope 2",""]', 'the second row');
		});
	},
};
