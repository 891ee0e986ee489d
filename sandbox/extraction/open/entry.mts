import type { Anonymity, OpenProxy } from '../../catalogue/openProxy.mts';
import { regionText } from '../../catalogue/regions.mts';

export interface ExtraFields {
	region: boolean;
	anonymity: boolean;
	protocol: boolean;
	speed: boolean;
}

const ANONYMITY_TEXTS: Readonly<Record<Anonymity, string>> = {
	high: '高匿名',
	anonymous: '匿名',
	transparent: '透明',
};

/**
 * One proxy as the service would list it: the address, then what was asked for, in the order of the
 * f_ parameters. How the real values are worded, and in which unit the speed is, nobody documents.
 */
export function entryOf(proxy: OpenProxy, fields: ExtraFields): string {
	const parts = [`${proxy.address}:${proxy.port}`];
	if (fields.region) parts.push(regionText(proxy.region));
	if (fields.anonymity) parts.push(ANONYMITY_TEXTS[proxy.anonymity]);
	if (fields.protocol) parts.push(proxy.supportsHttps ? 'HTTPS' : 'HTTP');
	if (fields.speed) parts.push(proxy.responseSeconds.toFixed(2));
	return parts.join(',');
}
