import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { readCredential } from '../nodes/shared/credential/kuaidailiCredential';
import { refuseSecondPurchase, signRequest } from '../nodes/shared/credential/signRequest';
import { CallError } from '../nodes/shared/errors/callErrors';
import { HOSTS } from '../nodes/shared/service/hosts';
import { describeFailure } from '../nodes/shared/transport/describeFailure';
import { obtainSharedToken, sharedToken } from '../nodes/shared/transport/authentication';

const HOST_FIELDS = Object.entries(HOSTS).map(
	([name, { displayName, origin, description }]): INodeProperties => ({
		displayName,
		name,
		type: 'string',
		displayOptions: { show: { customHosts: [true] } },
		default: origin,
		description: `${description}. Only scheme, host and port.`,
	}),
);

/** The HTTP Request node shows only the message, so it has to contain everything. */
function withFullText(error: unknown): unknown {
	if (error instanceof CallError) {
		const { message, description } = describeFailure(error, { hasTimeoutField: false });
		error.message = `${message}. ${description}`;
	}
	return error;
}

/** The node fetches its tokens itself. */
function tokenOfNode({ secretToken }: ICredentialDataDecryptedObject): string | undefined {
	return typeof secretToken === 'string' && secretToken !== '' ? secretToken : undefined;
}

export class KuaidailiApi implements ICredentialType {
	name = 'kuaidailiApi';

	displayName = 'Kuaidaili API';

	documentationUrl = 'https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili#credentials';

	icon: Icon = { light: 'file:../icons/kuaidaili.svg', dark: 'file:../icons/kuaidaili.dark.svg' };

	properties: INodeProperties[] = [
		{
			displayName: 'Key Type',
			name: 'keyType',
			type: 'options',
			options: [
				{
					name: 'Account',
					value: 'account',
					description:
						'Works for everything. Operations on an order let you choose one of your orders.',
				},
				{
					name: 'Order',
					value: 'order',
					description: 'Works for a single order',
				},
			],
			default: 'account',
			description:
				'Where the key pair below comes from. Your account has a key pair, and so does each order.',
		},
		{
			displayName: 'Secret ID',
			name: 'secretId',
			type: 'string',
			default: '',
			required: true,
			description:
				"Shown as SecretId in the Kuaidaili member center, on the API page for the account or on an order's page for that order",
			hint: "In the member center: on the API page for the account, or on an order's page for that order",
		},
		{
			displayName: 'Secret Key',
			name: 'secretKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Shown as SecretKey next to the Secret ID. Both have to come from the same place.',
		},
		{
			displayName: 'Sign Type',
			name: 'signType',
			type: 'options',
			options: [
				{
					name: 'HMAC-SHA1',
					value: 'hmacsha1',
					description: 'Signs every request. The Secret Key never leaves n8n.',
				},
				{
					name: 'Token',
					value: 'token',
					description: 'Exchanges the Secret Key for a token and sends the token until it expires',
				},
			],
			default: 'hmacsha1',
			description: 'How requests are authenticated. Keep HMAC-SHA1 unless you need a token.',
		},
		{
			displayName: 'Custom Hosts',
			name: 'customHosts',
			type: 'boolean',
			default: false,
			description: "Whether to use hosts other than Kuaidaili's own, such as a test server",
		},
		...HOST_FIELDS,
		{
			displayName: 'Secret Token',
			name: 'secretToken',
			type: 'hidden',
			// n8n calls preAuthentication where this is empty, and it always is in what n8n stores: the node
			// fills it in the copy that it sends with
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	// n8n lists the credential in the HTTP Request node only if this is an own property; a method would stay
	// on the prototype and get lost
	authenticate: ICredentialType['authenticate'] = async (credentials, requestOptions) => {
		refuseSecondPurchase(requestOptions);
		const credential = readCredential(credentials);
		const token =
			credential.signType === 'token'
				? (tokenOfNode(credentials) ?? sharedToken(credential))
				: undefined;
		return signRequest(credential, requestOptions, Date.now(), token);
	};

	/**
	 * Fetches a secret token for n8n's HTTP Request node. The token stays in memory: if n8n were given one,
	 * older versions would store all fields with it, and replace expressions with their values.
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		// n8n calls this before every request, whatever the sign type, and again after one that went wrong
		const isNeeded = credentials.signType === 'token' && tokenOfNode(credentials) === undefined;
		if (isNeeded) {
			await obtainSharedToken(readCredential(credentials), this.helpers.httpRequest).catch(
				(error: unknown) => {
					throw withFullText(error);
				},
			);
		}
		return {};
	}
}
