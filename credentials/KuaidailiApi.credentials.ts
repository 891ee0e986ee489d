import type {
	Icon,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import {
	readCredential,
	refuseSecondPurchase,
	signRequest,
	type SignatureStamp,
} from '../nodes/shared/api/sign';
import { ownValue } from '../nodes/shared/guards';
import { CREDENTIAL_TEST_REFUSALS, NO_SUCCESS } from '../nodes/shared/service/codes';
import { GET_ACCOUNT_BALANCE } from '../nodes/shared/service/endpoints/account';
import { GET_ORDER_EXPIRE_TIME } from '../nodes/shared/service/endpoints/order';
import { HOSTS } from '../nodes/shared/service/hosts';

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

/** A refusal of the credential's test where a property of the answer has this value. */
function refusal(key: string, value: unknown, message: string) {
	return { type: 'responseSuccessBody', properties: { key, value, message } } as const;
}

/** The node fetches its tokens itself, and puts one into the copy that it sends with. */
function tokenOfNode({ secretToken }: ICredentialDataDecryptedObject): string | undefined {
	return typeof secretToken === 'string' && secretToken !== '' ? secretToken : undefined;
}

/** Set for a purchase that other workers may be sending as well: the node puts it into the copy that it sends with. */
function stampOfNode({ stamp }: ICredentialDataDecryptedObject): SignatureStamp | undefined {
	const [timestamp, nonce] = [ownValue(stamp, 'timestamp'), ownValue(stamp, 'nonce')];
	const isShared = typeof timestamp === 'string' && typeof nonce === 'string';
	return isShared ? { timestamp, nonce } : undefined;
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
				'Whose key pair it is. Your account has one, and so does each order; the test tells which kind yours is.',
		},
		{
			displayName: 'Secret ID',
			name: 'secretId',
			type: 'string',
			default: '',
			required: true,
			description:
				"Shown as SecretId. The page has the account's key pair and those of the orders.",
			hint: 'Kuaidaili member center → API key management',
		},
		{
			displayName: 'Secret Key',
			name: 'secretKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Shown as SecretKey next to the Secret ID. Both have to be of the same pair.',
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
					description:
						'Exchanges the Secret Key for a token, and sends the token until it expires. Purchases and HTTP Request are signed with HMAC-SHA1 either way.',
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
			// Always empty in what n8n stores: the node fills it in the copy that it sends with
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/*
	 * Requests of n8n's HTTP Request node come without a token, and are signed with either sign type: that node
	 * could not see that the service knows a token no longer, which it says in an answer with status 200.
	 *
	 * n8n lists the credential there only if this is an own property; a method would stay on the prototype and
	 * get lost.
	 */
	authenticate: ICredentialType['authenticate'] = async (credentials, requestOptions) => {
		refuseSecondPurchase(requestOptions);
		const credential = readCredential(credentials);
		const token = credential.signType === 'token' ? tokenOfNode(credentials) : undefined;
		return signRequest(credential, requestOptions, Date.now(), token, stampOfNode(credentials));
	};

	/*
	 * A harmless read that accepts one kind of key pair. Only a success has data: an answer of another kind, such as a
	 * code that is not listed, an empty one, or a page, is refused by the last rules.
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: `={{ $credentials.customHosts && $credentials.baseUrl || '${HOSTS.baseUrl.origin}' }}`,
			url: `={{ $credentials.keyType === 'order' ? '${GET_ORDER_EXPIRE_TIME.path}' : '${GET_ACCOUNT_BALANCE.path}' }}`,
		},
		rules: [
			...[...CREDENTIAL_TEST_REFUSALS].map(([code, message]) => refusal('code', code, message)),
			...[undefined, null, ''].map((nothing) => refusal('data', nothing, NO_SUCCESS)),
		],
	};
}
