import { serviceField } from '../../../shared/fields/field';
import { oneOrZero } from '../../../shared/fields/valueKinds';

/** createorder and reneworder have it alike. */
export const isNotifyField = serviceField({
	serviceName: 'is_notify',
	displayName: 'Notify',
	description: 'Whether Kuaidaili notifies you of the purchase',
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
});
