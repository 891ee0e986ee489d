import {
	CallError,
	CancelledError,
	CredentialError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import {
	deliveryStateOf,
	type DeliveryState,
} from '../../../../../nodes/shared/transport/retryPolicy.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { GET_SECRET_TOKEN } from '../../../../../nodes/shared/service/endpoints/account.ts';

function refused(code: number): CallError {
	return new ApiError(CREATE_ORDER, code, '');
}

function noAnswer(mayHaveArrived: boolean): CallError {
	return new NetworkError({ kind: 'other', detail: '', mayHaveArrived }, 'host', 1000);
}

function beforeSending(error: CallError): CallError {
	error.isBeforeRequest = true;
	return error;
}

it.each<[string, CallError, DeliveryState]>([
	['an expired token', refused(-107), 'refusedForNow'],
	['an old signature', refused(-112), 'refusedForNow'],
	['a repetition', refused(-114), 'unclear'],
	['calls that are too fast', refused(-120), 'refusedForNow'],
	['a wrong value', refused(-2), 'refused'],
	['too little money', refused(-4), 'refused'],
	['a wrong signature', refused(-104), 'refusedForNow'],
	['a wrong kind of key', refused(-123), 'refused'],
	['an internal fault', refused(-109), 'unclear'],
	['a fault while opening the order', refused(-72), 'unclear'],
	['an unknown code', refused(-999), 'refused'],
	['an unknown positive code', refused(1), 'refused'],
	['a request that never arrived', noAnswer(false), 'notSent'],
	['a request that may have arrived', noAnswer(true), 'unclear'],
	['a cancellation before sending', new CancelledError(), 'notSent'],
	['a cancellation after sending', new CancelledError(true), 'unclear'],
	['an HTTP status', new HttpStatusError(502, ''), 'unclear'],
	['too many requests', new HttpStatusError(429, ''), 'unclear'],
	['an answer that cannot be read', new InvalidResponseError('is empty', ''), 'unclear'],
	['an unusable credential', new CredentialError('x'), 'notSent'],
	['the other kind of key pair', new WrongKeyTypeError('account'), 'notSent'],
	['a token that could not be fetched', beforeSending(new HttpStatusError(502, '')), 'notSent'],
	['a wrong key', beforeSending(new ApiError(GET_SECRET_TOKEN, -2, '')), 'notSent'],
	['a token that took too long', beforeSending(noAnswer(true)), 'notSent'],
])('after %s the purchase was (%#)', (_name, error, proof) => {
	expect(deliveryStateOf(error)).toBe(proof);
});
