import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect } from '../../../harness/checks/expectations.mts';
import { excerpt } from '../../../harness/outsideData.mts';
import { PRODUCTS } from '../../../nodes/shared/service/orderTerms.ts';
import {
	nodeOperations,
	offeredValues,
	operationCases,
	tryOperation,
	type OperationCase,
} from '../operations/index.mts';
import type { E2eSession } from '../session.mts';

/** Everything that the node can do, done once by a workflow of n8n. */
export const operations: CheckGroup<E2eSession> = {
	name: 'Operations',
	async run(session, check) {
		const cases = operationCases(session.sandbox);
		await check('Every operation of the node is tried, and every kind of order', () => {
			expectTried(nodeOperations(), cases.map(operationOf));
			expectTried(
				Object.entries(PRODUCTS).flatMap(([code, { payTypes }]) =>
					payTypes.map((payType) => `${code} ${payType}`),
				),
				valuesOf(cases, 'create', ({ product, payType }) => `${product} ${payType}`),
			);
			expectTried(
				offeredValues('renew', 'renewalOf'),
				valuesOf(cases, 'renew', ({ renewalOf }) => renewalOf),
			);
			expectTried(
				offeredValues('extract', 'plan'),
				valuesOf(cases, 'extract', ({ plan }) => plan),
			);
		});
		for (const each of cases) {
			await check(`${operationOf(each)}, ${each.what}`, async () => {
				await tryOperation(session, each);
			});
		}
	},
};

function operationOf({ resource, operation }: OperationCase): string {
	return `${resource}: ${operation}`;
}

function valuesOf(
	cases: readonly OperationCase[],
	wanted: string,
	valueOf: (parameters: Readonly<Record<string, unknown>>) => unknown,
): unknown[] {
	return cases
		.filter(({ operation }) => operation === wanted)
		.map(({ parameters = {} }) => valueOf(parameters));
}

/** What is new in the node has to be tried too, and what is tried has to be there. */
function expectTried(offered: readonly unknown[], tried: readonly unknown[]): void {
	const untried = offered.filter((each) => !tried.includes(each));
	const unknown = tried.filter((each) => !offered.includes(each));
	expect(offered.length > 0, 'nothing is offered');
	expect(untried.length === 0, `there is no case of ${excerpt(untried)}`);
	expect(unknown.length === 0, `the node does not have ${excerpt(unknown)}`);
}
