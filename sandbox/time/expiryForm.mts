import { chinaTime } from './chinaTime.mts';

/** `seconds` is the documented one; clients have to live with what a change at the service would bring. */
export type ExpiryForm = keyof typeof FORMS;

const FORMS = {
	seconds: chinaTime,
	minutes: (date: Date) => chinaTime(date).slice(0, 16),
	ISO: (date: Date) => `${chinaTime(date).replace(' ', 'T')}+08:00`,
	slashes: (date: Date) => chinaTime(date).replaceAll('-', '/'),
	epoch: (date: Date) => Math.floor(date.getTime() / 1000),
	words: () => '下周一',
	null: () => null,
} as const satisfies Record<string, (date: Date) => string | number | null>;

/** An order without an end has an empty text, whatever the form. */
export function writtenExpiry(
	{ expiresAt, expiryForm }: { expiresAt: Date | undefined; expiryForm?: ExpiryForm },
	byDefault: ExpiryForm,
): string | number | null {
	return expiresAt ? FORMS[expiryForm ?? byDefault](expiresAt) : '';
}
