import { at, readList, readString } from '../../../harness/outsideData.mts';
import { nodeProperties } from '../../../nodes/Kuaidaili/actions/resources.ts';

/** Every operation that the node has, by the table that its menus are made of. */
export function nodeOperations(): string[] {
	const menus = nodeProperties.filter(({ name }) => name === 'operation');
	return menus.flatMap((menu) => {
		const resource = readString(menu, 'displayOptions', 'show', 'resource', 0);
		return readList(menu, 'options').map((option) => `${resource}: ${readString(option, 'value')}`);
	});
}

/** The values that a field of one operation offers. */
export function offeredValues(operation: string, fieldName: string): unknown[] {
	const field = nodeProperties.find(
		({ name, displayOptions }) =>
			name === fieldName && displayOptions?.show?.operation?.includes(operation) === true,
	);
	return readList(field, 'options').map((option) => at(option, 'value'));
}
