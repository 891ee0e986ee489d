import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import {
	describedOperation,
	choicesOf,
	shownFields,
	type Values,
} from '../../operations/described.mts';
import { EVENTS, OPERATIONS, RESOURCES } from '../../operations/index.mts';
import type { NodePanel, SeenField } from '../editor/nodePanel.mts';
import { expectedFields, expectedOffers, inWords, nameOf } from '../expected/panel.mts';
import { expectSameFields } from '../expected/sameFields.mts';
import { openTrial, TRIGGER_NODE } from '../openTrial.mts';
import type { BrowserSetup } from '../setup.mts';

/** Resource and operation stand above the fields of each operation. */
const MENUS = 2;
/** n8n's own field for when to look, and the event. */
const TRIGGER_MENUS = ['Poll Times', 'Event'];
/** n8n's own entry in the menu of every node with a credential. */
const CUSTOM_API_CALL = 'Custom API Call';

/** Fields that are chosen one after the other, each with all its choices. */
const WALKS: ReadonlyArray<{ operation: string; fields: readonly string[] }> = [
	{ operation: 'Order: Create', fields: ['product', 'payType'] },
	{ operation: 'Proxy: Extract', fields: ['product'] },
];

const labelsOf = (fields: readonly SeenField[]) => fields.map(({ label }) => label);

function expectLabels(seen: readonly string[], expected: readonly string[], what: string): void {
	expectEqual(seen.join(' | '), expected.join(' | '), what);
}

/** Chooses everything in the first field, and for each choice everything in the next one. */
async function walk(
	panel: NodePanel,
	properties: Parameters<typeof shownFields>[0],
	[field, ...more]: readonly string[],
	given: Values,
): Promise<void> {
	const shown = shownFields(properties, given);
	if (field === undefined) {
		const seen = (await panel.fields()).slice(MENUS);
		expectSameFields(seen, expectedFields(properties, given), inWords(given));
		const values = Object.fromEntries(shown.map(({ property, value }) => [property.name, value]));
		for (const { property } of shown) {
			if (property.type !== 'collection') continue;
			const offers = await panel.offersOf(property.displayName);
			const what = `the choices of '${property.displayName}' with ${inWords(given)}`;
			expectLabels(offers, expectedOffers(property, values), what);
		}
		return;
	}
	const chosen = shown.find(({ property }) => property.name === field)?.property;
	if (chosen === undefined) throw new Error(`There is no field '${field}' with ${inWords(given)}`);
	const names = choicesOf(chosen).map((value) => nameOf(chosen, value));
	expectLabels(await panel.choices(field), names, `the choices of '${chosen.displayName}'`);
	for (const value of choicesOf(chosen)) {
		await panel.choose(field, nameOf(chosen, value));
		await walk(panel, properties, more, { ...given, [field]: value });
	}
}

/** One node and one trigger in which everything is chosen with the mouse. */
export const fieldsByMouse: CheckGroup<BrowserSetup> = {
	name: 'Fields chosen with the mouse',
	async run({ session: { n8n }, editor }, check) {
		const { panel } = editor;
		await openTrial(editor, n8n, ACCOUNT_KEY, {});

		await check('The menus offer every resource and operation, and each its fields', async () => {
			expectLabels(
				await panel.choices('resource'),
				[...RESOURCES.map(({ label }) => label), CUSTOM_API_CALL],
				'the resources',
			);
			for (const { label: resource, operations } of RESOURCES) {
				await panel.choose('resource', resource);
				const names = operations.map(({ label }) => label);
				const offered = await panel.choices('operation');
				expectLabels(offered, [...names, CUSTOM_API_CALL], `the operations of ${resource}`);
				for (const { label, labels } of operations) {
					await panel.choose('operation', label);
					const seen = labelsOf(await panel.fields()).slice(MENUS);
					expectLabels(seen, labels, `the fields of ${resource}: ${label}`);
					const texts = await panel.cutOff();
					expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
				}
			}
		});
		for (const { operation: name, fields } of WALKS) {
			await check(`${name} follows what is chosen in ${fields.join(' and ')}`, async () => {
				const row = OPERATIONS.find((operation) => operation.name === name);
				if (row === undefined) throw new Error(`There is no operation '${name}'`);
				await panel.choose('resource', row.resourceLabel);
				await panel.choose('operation', row.label);
				const { properties, menus } = describedOperation(row);
				await walk(panel, properties, fields, menus);
			});
		}

		await check("The menu of 'Extraction' says where each lifetime is", async () => {
			await panel.choose('resource', 'Order');
			await panel.choose('operation', 'Create');
			await panel.choose('product', 'Private Proxy (DPS)');
			await editor.page
				.locator('[data-test-id="parameter-input-dpsFetchType"] input')
				.first()
				.click();
			const options = editor.page.locator('.el-select-dropdown__item:visible');
			await options
				.filter({ hasText: '3 to 5, 10 to 30, 30 to 60 minutes, 3 to 4 hours' })
				.getByText('Even')
				.first()
				.waitFor();
			await options
				.filter({ hasText: '1 to 5, 5 to 10, 10 to 20, 20 to 30, 30 to 60 minutes, 2 to 4 hours' })
				.getByText('Concentrated')
				.first()
				.waitFor();
			await editor.page.keyboard.press('Escape');
		});

		await openTrial(editor, n8n, ACCOUNT_KEY, {}, TRIGGER_NODE);

		await check('The trigger follows the event', async () => {
			expectLabels(
				await panel.choices('event'),
				EVENTS.map(({ label }) => label),
				'the events',
			);
			for (const { label, labels } of EVENTS) {
				await panel.choose('event', label);
				const seen = labelsOf(await panel.fields());
				expectLabels(seen, [...TRIGGER_MENUS, ...labels], `the fields of ${label}`);
				const texts = await panel.cutOff();
				expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
			}
		});
	},
};
