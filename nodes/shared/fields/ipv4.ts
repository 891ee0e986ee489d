import { list, type ValueKind } from './valueKinds';

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

const IPV4 = new RegExp(String.raw`^(?:${OCTET}\.){3}${OCTET}$`);

/** Such as 123.35.67.46; without leading zeros, which mean something else to some programs. */
export function isIpv4(text: string): boolean {
	return IPV4.test(text);
}

/** Addresses with commas, each one once. */
export const ipv4Addresses: ValueKind = list(
	'IPv4 addresses, separated by commas, such as 123.35.67.46',
	isIpv4,
);
