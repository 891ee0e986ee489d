import { text } from '../../../shared/fields/valueKinds';
import { GET_TPS } from '../../../shared/service/endpoints/extraction';
import {
	formatField,
	ptField,
	sepField,
	sessionField,
	sessionPerItemField,
	tunnelAddress,
	type ExtractProduct,
} from './product';

/** So long a lock holds. */
const LOCK_SECONDS = 30;

/** A fixed address behind which the IP changes. */
export const tunnel: ExtractProduct = {
	value: 'TPS',
	fields: [
		ptField,
		sessionPerItemField,
		sessionField(
			'Requests with the same session share an IP for 30 seconds, if the order changes it every request. In an order with several channels, they share a channel.',
			text('up to 50 letters and digits', (text) => /^[A-Za-z0-9_-]{1,50}$/.test(text)),
		),
	],
	filters: [],
	extras: [],
	options: [formatField(), sepField],
	toExtraction(reader) {
		const lock = reader.text('session');
		const ofEach = reader.text(sessionPerItemField.name) === '1';
		return {
			...tunnelAddress(GET_TPS, reader, { num: '1' }),
			loginSettings: { lock },
			loginSettingsFor: ofEach ? (session) => ({ lock: session }) : undefined,
			sessionSeconds: (secondsPerIp) => (secondsPerIp === 0 ? LOCK_SECONDS : secondsPerIp),
		};
	},
};
