import { KuaidailiApi } from '../../credentials/KuaidailiApi.credentials.ts';
import { nodeProperties } from '../../nodes/Kuaidaili/actions/resources.ts';
import { triggerProperties } from '../../nodes/KuaidailiTrigger/events/index.ts';
import { reviewFindings } from '../../scripts/reviewRules.mjs';

const PROPERTIES = { name: 'x', displayName: 'X', type: 'string', default: '' };
const option = (name: string) => ({ name, value: name });

describe("the rules of n8n's reviewers", () => {
	it.each([
		['node', nodeProperties],
		['trigger', triggerProperties],
		['credential', new KuaidailiApi().properties],
	])('are kept by the %s', (_name, properties) => {
		expect(reviewFindings(properties)).toEqual([]);
	});

	it.each([
		['a long hint', { hint: 'x'.repeat(121) }, /hint has 121/],
		['another language', { description: '快' }, /not in English/],
		[
			'another language in an option',
			{ type: 'options', options: [{ ...option('A'), description: '快' }] },
			/not in English/,
		],
		['what has no default', { default: undefined }, /no default/],
		[
			'unsorted options',
			{ type: 'options', options: ['B', 'A', 'C', 'D'].map(option) },
			/not sorted/,
		],
		[
			'what is required in a collection',
			{ type: 'collection', options: [{ ...PROPERTIES, required: true }] },
			/required in a collection/,
		],
	])('find %s', (_what, changes, finding) => {
		expect(reviewFindings([{ ...PROPERTIES, ...changes }]).join()).toMatch(finding);
	});
});
