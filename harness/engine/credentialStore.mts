import type {
	ICredentialDataDecryptedObject,
	ICredentialsExpressionResolveValues,
	ICredentialType,
	IDataObject,
	IExecuteData,
	IHttpRequestOptions,
	INodeCredentialsDetails,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { ICredentialsHelper, NodeHelpers } from './n8n.mts';

/** What n8n has in its database; several processes share it. */
export type StoredCredentials = Map<string, ICredentialDataDecryptedObject>;

/**
 * n8n's handling of credentials, on a store in memory in place of the database: when a token is
 * fetched, and that what is fetched is kept for the next run.
 */
export class CredentialStore extends ICredentialsHelper {
	constructor(
		private readonly types: Readonly<Record<string, ICredentialType>>,
		readonly stored: StoredCredentials = new Map(),
	) {
		super();
	}

	/** @returns the id for a node's `credentials` */
	add(data: ICredentialDataDecryptedObject): string {
		const id = String(this.stored.size + 1);
		this.stored.set(id, { ...data });
		return id;
	}

	/** As a user edits a credential: what is not named stays, hidden fields above all. */
	edit(id: string, changes: ICredentialDataDecryptedObject): void {
		this.stored.set(id, { ...this.data(id), ...changes });
	}

	data(id: string): ICredentialDataDecryptedObject {
		const data = this.stored.get(id);
		if (data === undefined) throw new Error(`There is no credential ${id}`);
		return data;
	}

	override getParentTypes(): string[] {
		return [];
	}

	override isCredentialUsableByNode(): boolean {
		return true;
	}

	override getCredentialsProperties(type: string) {
		return this.types[type].properties;
	}

	override async getDecrypted(
		_additionalData: unknown,
		details: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		place?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const { properties } = this.types[type];
		const values = { ...this.data(details.id ?? '') } as IDataObject;
		const read = NodeHelpers.getNodeParameters(
			properties,
			values as never,
			true,
			false,
			null,
			null,
		);
		if (place === undefined) return read as ICredentialDataDecryptedObject;
		const resolved = place.workflow.expression.getParameterValue(
			read as INodeParameters,
			place.runExecutionData,
			place.runIndex,
			place.itemIndex,
			place.node.name,
			place.connectionInputData,
			mode,
			{},
			executeData,
		);
		return resolved as ICredentialDataDecryptedObject;
	}

	override async authenticate(
		credentials: ICredentialDataDecryptedObject,
		type: string,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.types[type];
		if (typeof authenticate !== 'function') throw new Error('The credential signs nothing');
		return await authenticate(credentials, request);
	}

	override async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	override async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	override async getCredentials(): Promise<never> {
		throw new Error('not used here');
	}

	override async updateCredentials(): Promise<void> {}

	override async updateCredentialsOauthTokenData(): Promise<void> {}
}
