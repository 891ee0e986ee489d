import type { FlatParameters, RunQuery } from '../../../../shared/service/query';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { formatNumber } from '../../../../shared/wording';
import {
	dedicatedCities,
	ipsLeftIn,
	questionFor,
	type DedicatedCity,
} from '../../../../shared/queries/places';

const LOOK_ELSEWHERE = "Choose another city, or leave 'City' empty for any.";
const SKIP = "To let Kuaidaili decide, switch on 'Skip Validation' in 'Options'.";

function placeOf(cities: readonly DedicatedCity[], code: string): string {
	return cities.length === 1 ? `${cities[0].name} (${code})` : `the cities of ${code}`;
}

/**
 * Refuses an order of more dedicated IPs than the chosen city has left. Asks the service, since the
 * number changes from minute to minute.
 *
 * @param parameters of createorder, checked already
 * @throws InvalidFieldError and what `callService` throws; nothing was bought in either case
 */
export async function refuseMoreIpsThanLeft(
	ask: RunQuery,
	parameters: FlatParameters,
): Promise<void> {
	const city = parameters['kps.city'];
	const question = questionFor(parameters);
	if (parameters.product !== 'KPS' || city === undefined || question === undefined) return;

	const cities = await ask(dedicatedCities, { ...question, city });
	// The code may be that of a province, which stands for all its cities
	const there = cities.filter(({ code }) => String(code).startsWith(city));
	if (there.length === 0) {
		throw new InvalidFieldError(
			'City',
			city,
			`No such IPs are left there. ${LOOK_ELSEWHERE} ${SKIP}`,
		);
	}
	const counts = there.map(ipsLeftIn).filter((count) => count !== undefined);
	const left = counts.reduce((sum, count) => sum + count, 0);
	const wanted = Number(parameters['kps.ip_count']);
	if (counts.length < there.length || wanted <= left) return;
	throw new InvalidFieldError(
		'Number of IPs',
		wanted,
		`Allowed: ${formatNumber(left)} at most, because no more are left in ${placeOf(there, city)}. ${LOOK_ELSEWHERE} ${SKIP}`,
	);
}
