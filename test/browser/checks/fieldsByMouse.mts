import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import {
	EXTRA_FIELDS,
	FILTERS,
	formatField,
	sepField,
	sortField,
} from '../../../nodes/Kuaidaili/actions/proxy/extract/fields';
import { PLAN_NAMES, PLANS } from '../../../nodes/Kuaidaili/actions/proxy/extract/plans';
import type { Field } from '../../../nodes/shared/fields/field';
import {
	PAY_TYPES,
	PRODUCT_CODES,
	PRODUCT_LABELS,
	PRODUCTS,
} from '../../../nodes/shared/service/orderTerms';
import type { NodePanel, SeenField } from '../editor/nodePanel.mts';
import { EVENTS, OPERATIONS } from '../expected/operations.mts';
import { CREATE_PANEL } from '../expected/panels.mts';
import { expectedFields } from '../expected/panelTable.mts';
import { expectSameFields } from '../expected/sameFields.mts';
import { openTrial, TRIGGER_NODE } from '../openTrial.mts';
import type { BrowserSetup } from '../setup.mts';

/** Resource and operation stand above the fields of each operation. */
const MENUS = 2;
/** n8n's own field for when to look, and the event. */
const TRIGGER_MENUS = ['Poll Times', 'Event'];
/** n8n's own entry in the menu of every node with a credential. */
const CUSTOM_API_CALL = 'Custom API Call';
const EVERYWHERE = ['Skip Local Checks', 'Timeout'];
const OPTIONS_OF_EXTRACT = ['Wait for the Per-Minute Cap', ...EVERYWHERE];

const labelsOf = (fields: readonly SeenField[]) => fields.map(({ label }) => label);

function expectLabels(seen: readonly string[], expected: readonly string[], what: string): void {
	expectEqual(seen.join(' | '), expected.join(' | '), what);
}

/** The names of the fields that a plan may use, in the order of the editor. */
function namesFor(plan: (typeof PLAN_NAMES)[number], fields: readonly Field[]): string[] {
	return fields
		.filter(({ when }) => when?.plan.includes(plan) !== false)
		.map(({ displayName }) => displayName);
}

async function checkOrders(panel: NodePanel): Promise<void> {
	for (const product of PRODUCT_CODES) {
		const { payTypes } = PRODUCTS[product];
		const name = PRODUCT_LABELS[product];
		await panel.choose('product', name);
		const offered = await panel.choices('payType');
		expectLabels(
			offered,
			payTypes.map((payType) => PAY_TYPES[payType]),
			`the pay types of ${name}`,
		);
		for (const payType of payTypes) {
			await panel.choose('payType', PAY_TYPES[payType]);
			const seen = (await panel.fields()).slice(MENUS);
			const expected = expectedFields(CREATE_PANEL, { product, payType });
			expectSameFields(seen, expected, `${name}, ${PAY_TYPES[payType]}`);
		}
	}
}

async function checkPlan(panel: NodePanel, plan: (typeof PLAN_NAMES)[number]): Promise<void> {
	await panel.choose('plan', PLANS[plan].displayName);
	const filters = await panel.offersOf('Filters');
	expectLabels(filters, namesFor(plan, FILTERS.fields), "the choices of 'Filters'");
	const options = [...namesFor(plan, [formatField, sepField, sortField]), ...OPTIONS_OF_EXTRACT];
	expectLabels(await panel.offersOf('Options'), options.sort(), "the choices of 'Options'");
	const extras = namesFor(plan, EXTRA_FIELDS.fields).sort();
	const isThere = labelsOf(await panel.fields()).includes('Extra Fields');
	expectEqual(isThere, extras.length > 0, "whether there is 'Extra Fields'");
	if (isThere) {
		expectLabels(await panel.offersOf('Extra Fields'), extras, "the choices of 'Extra Fields'");
	}
}

/** One node and one trigger in which everything is chosen with the mouse. */
export const fieldsByMouse: CheckGroup<BrowserSetup> = {
	name: 'Fields chosen with the mouse',
	async run({ session: { n8n }, editor }, check) {
		const { panel } = editor;
		await openTrial(editor, n8n, ACCOUNT_KEY, {});

		await check('The menus offer every resource and operation, and each its fields', async () => {
			const resources = [...new Set(OPERATIONS.map(({ resource }) => resource))];
			expectLabels(
				await panel.choices('resource'),
				[...resources, CUSTOM_API_CALL],
				'the resources',
			);
			for (const resource of resources) {
				await panel.choose('resource', resource);
				const operations = OPERATIONS.filter((each) => each.resource === resource);
				const names = operations.map(({ operation }) => operation);
				const offered = await panel.choices('operation');
				expectLabels(offered, [...names, CUSTOM_API_CALL], `the operations of ${resource}`);
				for (const { operation, labels } of operations) {
					await panel.choose('operation', operation);
					const seen = labelsOf(await panel.fields()).slice(MENUS);
					expectLabels(seen, labels, `the fields of ${resource}: ${operation}`);
				}
			}
		});
		await check('Order: Create follows the product and the pay type', async () => {
			await panel.choose('resource', 'Order');
			await panel.choose('operation', 'Create');
			await checkOrders(panel);
		});
		await check('Proxy: Extract offers what the plan can use', async () => {
			await panel.choose('resource', 'Proxy');
			for (const plan of PLAN_NAMES) await checkPlan(panel, plan);
		});

		await openTrial(editor, n8n, ACCOUNT_KEY, {}, TRIGGER_NODE);

		await check('The trigger follows the event', async () => {
			expectLabels(
				await panel.choices('event'),
				EVENTS.map(({ event }) => event),
				'the events',
			);
			for (const { event, labels } of EVENTS) {
				await panel.choose('event', event);
				const seen = labelsOf(await panel.fields());
				expectLabels(seen, [...TRIGGER_MENUS, ...labels], `the fields of ${event}`);
				const texts = await panel.cutOff();
				expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
			}
		});
	},
};
