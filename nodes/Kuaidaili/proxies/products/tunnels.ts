import type { Field } from '../../../shared/fields/field';
import { choice, placeOf, textKind } from '../../../shared/fields/kinds';
import { GET_TPS, GET_TPS_PRO } from '../../../shared/service/endpoints/extraction';
import {
	EVERY_REQUEST,
	formatFields,
	ptField,
	refusedEveryRequest,
	SESSION_MINUTES,
	sessionFields,
	sessionIn,
	sessionMinutesField,
	tunnelAddress,
	type ProxyProduct,
} from './product';
import { withSuffixes } from '../logins';
import { DOMESTIC_STATUSES, proxyStatus, type ProxyStatuses } from '../proxyStatuses';

const BUSY_EXIT = 'the exit behind it was too busy';

/** Statuses of tunnels. Source: the service's table of proxy statuses. */
export const TUNNEL_STATUSES: ProxyStatuses = {
	...DOMESTIC_STATUSES,
	457: proxyStatus('proxy', BUSY_EXIT, ['Backend Proxy Bandwidth Over Limit']),
	458: proxyStatus('proxy', BUSY_EXIT, ['Backend Proxy Refused']),
};

/** The seconds for which a lock holds. */
const LOCK_SECONDS = 30;

/** A fixed address behind which the IP changes. */
export const tunnel: ProxyProduct = {
	code: 'TPS',
	statuses: TUNNEL_STATUSES,
	fields: [],
	options: [
		ptField,
		...sessionFields(
			'Requests with the same session share an IP for 30 seconds, if the order changes it every request. In an order with several channels, they share a channel.',
			textKind('up to 50 letters and digits', (text) => /^[A-Za-z0-9_-]{1,50}$/.test(text)),
		),
		...formatFields(),
	],
	toExtraction(reader) {
		return {
			...tunnelAddress(GET_TPS, reader, { num: '1' }),
			toLogin({ username, password }, session) {
				// A lock or a channel
				const lock = sessionIn(reader, session);
				return { username, password: lock === undefined ? password : `${password}:${lock}` };
			},
			// Channels are documented for orders that keep an IP for an hour at most
			longestSessionSeconds: 3600,
			sessionSeconds: (secondsPerIp) => (secondsPerIp === 0 ? LOCK_SECONDS : secondsPerIp),
		};
	},
};

const regionField: Field = {
	name: 'region',
	displayName: 'Region',
	description: 'The part of China where the IPs are',
	kind: placeOf(
		choice([
			{ name: 'Any', value: '' },
			{ name: 'Central China', value: 'CC' },
			{ name: 'East China', value: 'EC' },
			{ name: 'North China', value: 'NC' },
			{ name: 'Northeast China', value: 'NEC' },
			{ name: 'South China', value: 'SC' },
			{ name: 'Southwest China', value: 'SWC' },
		]),
	),
};

const suffixField: Field = {
	name: 'suffix',
	displayName: 'User Name Suffix',
	description:
		"More parts for the user name, as described in the tunnel's manual. The node puts a hyphen before them.",
	placeholder: 'e.g. prov-33-city-330100',
	kind: textKind('up to 100 characters, without spaces, colons and @', (text) =>
		/^[^\s:@\p{Cc}]{1,100}$/u.test(text),
	),
};

/** A tunnel whose user name says for how long an IP stays, and where it is. */
export const tunnelPro: ProxyProduct = {
	code: 'TPS_PRO',
	statuses: TUNNEL_STATUSES,
	fields: [],
	options: [
		ptField,
		sessionMinutesField(
			[EVERY_REQUEST, { name: '15 Seconds', value: 0.25 }, { name: '30 Seconds', value: 0.5 }],
			// The tunnel has no value for it
			{ unsent: '0' },
		),
		...sessionFields(
			"Requests with the same session share an IP for the 'IP Change Interval'. Leave empty for one session for all.",
			textKind('up to 6 letters and digits', (text) => /^[A-Za-z0-9]{1,6}$/.test(text)),
		),
		regionField,
		suffixField,
		...formatFields(),
	],
	toExtraction(reader) {
		const minutes = reader.textOf(SESSION_MINUTES);
		const suffix = reader.textOf(suffixField.name);
		const isUnkept = minutes === undefined && sessionIn(reader) !== undefined;
		// Of a suffix, nobody knows what it says
		if (isUnkept && suffix === undefined) {
			throw refusedEveryRequest("Requests with the same 'Session'", 'Session');
		}
		return {
			...tunnelAddress(GET_TPS_PRO, reader, { num: '1' }),
			toLogin(plain, session) {
				const suffixes = [
					['period', minutes],
					['sid', sessionIn(reader, session)],
					['area', reader.textOf(regionField.name)],
				] as const;
				return withSuffixes(plain, suffixes, suffix);
			},
		};
	},
};
