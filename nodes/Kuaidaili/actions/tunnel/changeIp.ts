import type { FlatParameters } from '../../../shared/credential/signature';
import { ownValue, isRecord, type UnknownRecord } from '../../../shared/guards';
import { codeMeaning } from '../../../shared/service/codes';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/tunnel';
import type { Query, RunQuery } from '../../../shared/service/query';
import {
	ApiError,
	CallError,
	DescribedError,
	InvalidResponseError,
} from '../../../shared/errors/callErrors';
import { excerptOfData } from '../../../shared/errors/cleanText';
import { deliveryStateOf } from '../../../shared/transport/retryPolicy';
import { durationInWords, explainUndocumented } from '../../../shared/transport/describeFailure';
import type { Waiter } from '../../../shared/concurrency/wait';
import { ChangeLimit, TooManyChangesError } from './changeLimit';
import type { TunnelOrder } from './tunnelOrder';

/** The new address in `new_ip`; the rest is as the service sends it. */
const newIp: Query<UnknownRecord> = {
	endpoint: CHANGE_TPS_IP,
	parse({ data }, secrets) {
		if (isRecord(data) && typeof ownValue(data, 'new_ip') === 'string') return data;
		throw new InvalidResponseError('contains no new IP address', excerptOfData(data, secrets));
	},
};

/** Users don't expect a node to wait any longer. */
const LONGEST_WAIT_MS = 90_000;

const changeLimit = new ChangeLimit(LONGEST_WAIT_MS);

const LIMITS =
	'Kuaidaili allows two changes within the time that the tunnel keeps an IP, and only if that is at least 60 seconds.';

const MAY_BE_CHANGED =
	"The IP may have been changed anyway. Check it with 'Tunnel: Get Current IP' before you change it again.";

/** Whether the IP may have been changed although the call failed. */
function mayBeChanged(error: unknown): boolean {
	if (!(error instanceof CallError)) return false;
	// A code is a refusal even where nobody knows its meaning
	if (error instanceof ApiError) {
		return codeMeaning(error.endpoint, error.code)?.leavesOpen === true;
	}
	return deliveryStateOf(error) === 'unclear';
}

function limitReached({ waitMs }: TooManyChangesError, periodMs: number): DescribedError {
	return new DescribedError({
		message: `The IP of this tunnel was already changed twice within ${durationInWords(periodMs)}`,
		description: `Kuaidaili allows two changes within this time. The next one is possible in ${durationInWords(waitMs)}. Nothing was changed.`,
	});
}

/**
 * Changes the IP, once and never again after an unclear answer. Where the order's period is known, it first
 * waits until another change is allowed, if that is soon.
 *
 * @throws DescribedError when it is not soon, and what `callService` throws
 */
export async function changeIp(
	run: RunQuery,
	parameters: FlatParameters,
	{ orderid, periodMs }: TunnelOrder,
	waiter: Waiter,
): Promise<UnknownRecord> {
	const change = async () => await explainUndocumented(run(newIp, parameters), LIMITS);
	const isLimited = orderid !== undefined && periodMs !== undefined;
	const changed = isLimited
		? changeLimit.run({ orderid, periodMs }, change, mayBeChanged, waiter)
		: change();
	return await changed.catch((error: unknown): never => {
		if (error instanceof TooManyChangesError) throw limitReached(error, periodMs ?? 0);
		if (error instanceof CallError && mayBeChanged(error)) error.note = MAY_BE_CHANGED;
		throw error;
	});
}
