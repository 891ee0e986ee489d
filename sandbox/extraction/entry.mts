import type { ProxyLogin } from '../accounts/order.mts';
import { chineseName, provinceCode } from '../catalogue/chineseAreas.mts';
import type { OwnParameters } from '../orders/ownParameters.mts';
import { secondsLeft, writtenPlace, type OrderProxy } from './orderProxies.mts';

/** Which of the f_ parameters came. */
export interface Extras {
	region: boolean;
	cityCode: boolean;
	seconds: boolean;
	carrier: boolean;
}

/** Where the login goes: 1 to 4 as in generateType and gt, or behind a comma as a part of its own. */
export type LoginLayout = 1 | 2 | 3 | 4 | 'own part';

/** Of an entry; without `login` none is added. */
export interface EntryLayout {
	extras: Extras;
	login: LoginLayout | undefined;
}

/** "Fixed 1" parameters: sent as 1 or not at all. Whether the service minds a 0 is not documented. */
export function isAskedFor(own: OwnParameters, name: string): boolean {
	return own.optionalChoice(name, [1]) === 1;
}

export function readExtras(own: OwnParameters): Extras {
	return {
		region: isAskedFor(own, 'f_loc'),
		cityCode: isAskedFor(own, 'f_citycode'),
		seconds: isAskedFor(own, 'f_et'),
		carrier: isAskedFor(own, 'f_carrier'),
	};
}

export const LOGIN_LAYOUTS = [1, 2, 3, 4] as const;

/** One proxy as the service would list it. The wording of regions and carriers is not documented. */
export function entryOf(proxy: OrderProxy, { extras, login }: EntryLayout, now: Date): string {
	const parts = [placeWithLogin(writtenPlace(proxy), proxy.login, login)];
	if (login === 'own part') parts.push(`${proxy.login.username}:${proxy.login.password}`);
	if (extras.region) parts.push(regionName(proxy.area));
	if (extras.cityCode) parts.push(proxy.area);
	if (extras.seconds) parts.push(String(secondsLeft(proxy, now) ?? ''));
	if (extras.carrier) parts.push(proxy.carrier?.name ?? '');
	return parts.join(',');
}

export function placeWithLogin(
	place: string,
	{ username, password }: ProxyLogin,
	layout: LoginLayout | undefined,
): string {
	const login = `${username}:${password}`;
	switch (layout) {
		case 1:
			return `${place}:${login}`;
		case 2:
			return `${place}@${login}`;
		case 3:
			return `${login}:${place}`;
		case 4:
			return `${login}@${place}`;
		case 'own part':
		case undefined:
			return place;
	}
}

function regionName(area: string): string {
	const province = provinceCode(area);
	return province === area ? chineseName(area) : chineseName(province) + chineseName(area);
}
