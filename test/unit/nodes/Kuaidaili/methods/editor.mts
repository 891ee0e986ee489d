import type { IDataObject, IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

import type { ListSearchMethod } from '../../../../../nodes/shared/editor/listSearch.ts';
import '../../../../virtualTime.mts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';
import { node } from '../../../support/node.mts';

export const SHARED = { serie: 1, kpsMaxBandwidth: 1 };
export const CITIES = [
	{ code: '3301', name: '杭州市', count: 12 },
	{ code: '11', name: '北京市', count: 1234 },
	{ code: '6501', name: '乌鲁木齐市', count: 1 },
];

/** The editor, with a service that answers as the test says. */
export class Editor {
	readonly requests: IHttpRequestOptions[] = [];

	constructor(
		private readonly answer: (index: number) => object | Error,
		private readonly credential: IDataObject = Editor.credential(),
	) {}

	static credential(fields: IDataObject = {}): IDataObject {
		const { secretId } = freshCredential();
		return { keyType: 'account', secretId, secretKey: SECRET_KEY, ...fields };
	}

	async open(method: ListSearchMethod, fields: IDataObject, filter?: string) {
		const context = {
			getNode: () => node,
			logger: { debug: () => {} },
			getCurrentNodeParameter: (name: string) => fields[name],
			getCredentials: async () => await Promise.resolve({ ...this.credential }),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) => {
					this.requests.push(request);
					const body = this.answer(this.requests.length - 1);
					if (body instanceof Error) throw body;
					return await Promise.resolve({
						statusCode: 200,
						headers: {},
						body: JSON.stringify(body),
					});
				},
			},
		};
		return await method.call(context as unknown as ILoadOptionsFunctions, filter);
	}

	/** Labels and values, as they are shown. */
	async list(method: ListSearchMethod, fields: IDataObject = {}, filter?: string) {
		const { results, paginationToken } = await this.open(method, fields, filter);
		expect(paginationToken).toBeUndefined();
		return results.map(({ name, value }) => [name, value]);
	}

	async failure(method: ListSearchMethod, fields: IDataObject = {}) {
		const outcome: unknown = await this.open(method, fields).catch((error: unknown) => error);
		if (outcome instanceof Error) return outcome;
		throw new Error('It did not fail');
	}
}

export function success(data: unknown) {
	return () => ({ code: 0, msg: '', data });
}
