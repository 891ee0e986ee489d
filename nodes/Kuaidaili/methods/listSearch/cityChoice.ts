import { ipsLeftIn, type DedicatedCity } from '../../availability/dedicatedCities';
import type { RegionChoice } from './regionListSearch';
import { formatNumber } from '../../../shared/wording';

export const NO_CITY = 'No city has such dedicated IPs at the moment';

export function cityChoice(city: DedicatedCity): RegionChoice {
	const left = ipsLeftIn(city);
	const note = left === undefined ? undefined : `, ${formatNumber(left)} left`;
	return { code: String(city.code), chinese: city.name, note };
}
