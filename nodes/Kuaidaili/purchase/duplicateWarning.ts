import type { IDataObject } from 'n8n-workflow';

const FIELD = 'duplicateWarning';

const WHAT_IT_MEANS =
	"A proxy or gateway may have delivered the request twice, and Kuaidaili charged it twice; or something else bought it at the same moment. Check the orders in the Kuaidaili member center before you buy again. With 'Sign Type' set to 'HMAC-SHA1' in the credential, the service carries out such a request only once.";

/**
 * Warns, in the output of a purchase, that the service may have carried it out twice.
 *
 * @param excess what more has changed than one purchase explains, as a whole sentence
 */
export function warnOfDuplicate(record: IDataObject, excess: string): void {
	record[FIELD] = `${excess} ${WHAT_IT_MEANS}`;
}

/** The warning in the output of a purchase, if there is one. */
export function duplicateWarningIn(record: IDataObject): string | undefined {
	const warning = record[FIELD];
	return typeof warning === 'string' ? warning : undefined;
}
