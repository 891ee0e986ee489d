import {
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	NodeHelpers,
} from 'n8n-workflow';

import { newWorkflow } from '../../../harness/engine/workflow.mts';
import { builtPackage } from '../support/builtPackage.mts';
import { picked } from '../support/customer.mts';
import { useWorkbench } from '../support/workbench.mts';

const { description } = new builtPackage.Kuaidaili();
const { description: trigger } = new builtPackage.KuaidailiTrigger();
const credential = new builtPackage.KuaidailiApi();

const { bed } = useWorkbench();

/** Every text in a part of a description that the editor shows, at any depth. */
function shownTexts(part: unknown): string[] {
	if (Array.isArray(part)) return part.flatMap(shownTexts);
	if (typeof part !== 'object' || part === null) return [];
	return Object.entries(part).flatMap(([key, value]) =>
		SHOWN.has(key) && typeof value === 'string' ? [value] : shownTexts(value),
	);
}

const position: [number, number] = [0, 0];

const SHOWN = new Set(['displayName', 'name', 'description', 'placeholder', 'hint', 'action']);

function isOption(option: object): option is INodePropertyOptions {
	return 'value' in option;
}

function choices(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []).filter(isOption);
}

function named(name: string): INodeProperties[] {
	return description.properties.filter((property) => property.name === name);
}

/** As the editor finds it out. */
function subtitleOf(
	type: string,
	parameters: Record<string, string>,
	nodeType: INodeType = new builtPackage.Kuaidaili(),
): unknown {
	const node = { id: '1', name: 'n', type, typeVersion: 1, position, parameters };
	const workflow = newWorkflow({
		nodes: [node],
		connections: {},
		nodeTypes: { [type]: nodeType },
	});
	return workflow.expression.getSimpleParameterValue(
		node,
		nodeType.description.subtitle,
		'internal',
		{},
	);
}

describe('the description of the node', () => {
	it.each(['kuaidaili', 'kuaidailiTool'])(
		'has under %s on the canvas what the operation does',
		(type) => {
			for (const { name, displayOptions, options } of description.properties) {
				if (name !== 'operation') continue;
				for (const { value, action } of (options ?? []).filter(isOption)) {
					const parameters = {
						resource: String(displayOptions?.show?.resource?.[0]),
						operation: String(value),
					};
					expect(action).toMatch(/./);
					expect(subtitleOf(type, parameters)).toBe(action);
				}
			}
			expect(subtitleOf(type, { resource: 'proxy', operation: 'unknown' })).toBeUndefined();
		},
	);

	it('has under the trigger on the canvas what starts the workflow, as the editor names it', () => {
		const menu = trigger.properties.find(({ name }) => name === 'event');
		for (const { name, value } of choices(menu)) {
			const parameters = { event: String(value) };
			const node = new builtPackage.KuaidailiTrigger();
			expect(subtitleOf('kuaidailiTrigger', parameters, node)).toBe(name);
		}
	});

	it('offers the node to AI agents as a tool', () => {
		expect(description.usableAsTool).toBe(true);
	});

	it('names the credential, which has a test of its own', () => {
		expect(description.credentials).toEqual([{ name: credential.name, required: true }]);
		expect(credential.test.request.url).toContain('$credentials.keyType');
	});

	it.each([
		['node', description],
		['trigger', trigger],
		['credential', credential],
	])('is English in the %s, but for the name of Kuaidaili in the description', (_name, part) => {
		const texts = shownTexts(part);
		expect(texts.length).toBeGreaterThan(10);
		const withoutBrand = texts.map((text) => text.replace('(快代理)', ''));
		expect(withoutBrand.filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
	});

	it('calls a row of Fields or Headers by its name, or else by its selector, as the column is named', () => {
		const options = named('options').flatMap(({ options = [] }) => options);
		const headers = options.filter((option) => option.name === 'headers');
		const titlesOf = (rows: ReadonlyArray<(typeof options)[number]>) => [
			...new Set(
				rows.map((row) =>
					'typeOptions' in row ? row.typeOptions?.fixedCollection?.itemTitle : undefined,
				),
			),
		];
		const [name, selector] = ['name', 'selector'].map((field) => `$collection.item.value.${field}`);
		expect(titlesOf(named('fields'))).toEqual([`={{ ${name} || ${selector} }}`]);
		expect(titlesOf(headers)).toEqual([`={{ ${name} }}`]);
	});

	it('says first to which operation a field belongs, as n8n stops at a value from an expression', () => {
		const conditions = description.properties.flatMap(({ displayOptions: { show } = {} }) =>
			show === undefined || !('operation' in show) ? [] : [Object.keys(show)],
		);
		expect(conditions.length).toBeGreaterThan(100);
		for (const names of conditions) expect(names.slice(0, 2)).toEqual(['resource', 'operation']);
	});

	it('fills in by itself what the editor shows, and that can be run', () => {
		const node = {
			id: '1',
			name: 'n',
			type: 'kuaidaili',
			typeVersion: 1,
			position,
			parameters: {},
		};
		expect(
			NodeHelpers.getNodeParameters(description.properties, {}, true, false, node, description),
		).toEqual({
			resource: 'page',
			operation: 'open',
			orderid: picked(''),
			product: 'DPS',
			url: '={{ $json.url }}',
			responseFormat: 'autodetect',
			options: {},
		});
	});
});

describe('the description of the credential', () => {
	it('can be used by the HTTP Request node: what signs is a property of the object itself', () => {
		expect(Object.hasOwn(credential, 'authenticate')).toBe(true);
	});

	it('hides the keys, and has one hidden field for the token', () => {
		const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['secretKey', 'secretToken']);
		const expirable = credential.properties.filter(({ typeOptions }) => typeOptions?.expirable);
		expect(expirable).toEqual([
			expect.objectContaining({ name: 'secretToken', type: 'hidden', default: '' }),
		]);
	});

	it("starts with the service's own hosts, over https", () => {
		const hosts = credential.properties.filter(({ name }) => name.endsWith('Url'));
		expect(hosts.map((property) => property.default)).toEqual([
			'https://dev.kdlapi.com',
			'https://dps.kdlapi.com',
			'https://kps.kdlapi.com',
			'https://tps.kdlapi.com',
			'https://fps.kdlapi.com',
			'https://svip.kdlapi.com',
			'https://auth.kdlapi.com',
		]);
	});
});

describe("n8n's own entry for custom calls", () => {
	it.each<[resource: string, operation: string]>([
		['proxy', '__CUSTOM_API_CALL__'],
		['proxy', 'steal'],
		['proxy', 'constructor'],
	])('%s, %s ends in an error that says what to use', async (resource, operation) => {
		const { error, status } = await bed().engine.run({
			credentialId: bed().addCredential(bed().newOrder().keys),
			parameters: { resource, operation },
		});
		expect(status).toBe('error');
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toBe(`This node has no operation '${operation}' for '${resource}'`);
		expect(error?.description).toContain('HTTP Request node');
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it.each(['__CUSTOM_API_CALL__', 'unknown'])(
		'%s as resource ends in an error',
		async (resource) => {
			const { error, status } = await bed().engine.run({
				credentialId: bed().addCredential(bed().newOrder().keys),
				parameters: { resource, operation: resource },
			});
			expect(status).toBe('error');
			expect(error?.message).toContain(`for '${resource}'`);
			expect(error?.description).toContain('HTTP Request node');
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);
});
