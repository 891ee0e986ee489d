import type { Field } from '../../shared/fields/field';
import { flag } from '../../shared/fields/valueKinds';

/** The switch for output that is secret. */
export function includeSecrets(description: string): Field {
	return { name: 'includeSecrets', displayName: 'Include Secrets', description, kind: flag };
}
