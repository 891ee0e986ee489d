import type {
	ICredentialsHelper,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { ExecutionLifecycleHooks } from './n8n.mts';

const MODE: WorkflowExecuteMode = 'manual';

/** What n8n's server gives its engine along with a workflow. */
export function newAdditionalData(
	credentialsHelper: ICredentialsHelper,
	executionId = '1',
): IWorkflowExecuteAdditionalData {
	const unused = () => undefined;
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper,
		hooks: new ExecutionLifecycleHooks(MODE, '1', {
			id: 'test',
			name: 'test',
			active: false,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			activeVersionId: null,
			nodes: [],
			connections: {},
		}),
		executionId,
		variables: {},
		userId: 'user',
		currentNodeParameters: undefined,
		// n8n refuses addresses that are none
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		webhookTestBaseUrl: 'http://localhost/webhook-test',
		setExecutionStatus: unused,
		sendDataToUI: unused,
		logAiEvent: unused,
		externalSecretsProxy: {
			getSecret: unused,
			hasProvider: () => false,
			hasSecret: () => false,
			listProviders: () => [],
			listSecrets: () => [],
		} as unknown as IWorkflowExecuteAdditionalData['externalSecretsProxy'],
	};
	return data as IWorkflowExecuteAdditionalData;
}
