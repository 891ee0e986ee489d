import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import { signRequest, type KuaidailiCredential } from '../../../../../nodes/shared/api/sign.ts';
import { credentialWith } from '../../../support/credential.mts';
import { deepFreeze } from '../../../support/frozen.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';

export const NOW = 1_555_069_980_999;
export const URL_OF_CALL = 'https://dev.kdlapi.com/api/getproxy';
export const FORM_HEADER = { 'content-type': 'application/x-www-form-urlencoded' };
export const AUTHENTICATION = ['nonce', 'secret_id', 'sign_type', 'signature', 'timestamp'];

export const signing = credentialWith();

interface OlderOptions {
	uri: string;
	method?: IHttpRequestMethods;
	qs?: IDataObject;
	headers?: IDataObject;
	body?: unknown;
	form?: unknown;
	formData?: unknown;
	[other: string]: unknown;
}

/** The HTTP Request node's options, which n8n passes under the type of the newer ones. */
export function older(options: OlderOptions): IHttpRequestOptions {
	return options as unknown as IHttpRequestOptions;
}

export function own(fields: ReadonlyMap<string, string>): Record<string, string> {
	return Object.fromEntries([...fields].filter(([name]) => !AUTHENTICATION.includes(name)));
}

/** Signs frozen options, and checks what every signed request has in common. */
export function sign(
	request: IHttpRequestOptions,
	credential: KuaidailiCredential = signing,
	now = NOW,
): IHttpRequestOptions {
	const signed = signRequest(credential, deepFreeze(request), now);
	const view = serviceView(signed);
	expect(view.all.get('signature')).toBe(expectedSignature(view, credential.secretKey));
	expect(view.all.get('secret_id')).toBe(credential.secretId);
	expect(view.all.get('sign_type')).toBe('hmacsha1');
	return signed;
}
