import { setTimeout as sleep } from 'node:timers/promises';
import { at, readList, readString } from '../outsideData.mts';
import type { FinishedRun } from './finishedRun.mts';
import { RestConnection } from './restConnection.mts';

const RUN_LIMIT_MS = 120_000;
const RUNS_PER_PAGE = 100;
const SAVED_WITHIN_MS = 2_000;
const ASK_EVERY_MS = 200;
const ENDED = new Set(['success', 'error', 'crashed', 'canceled']);

export interface NewCredential {
	readonly name: string;
	readonly type: string;
	readonly data: Readonly<Record<string, unknown>>;
}

export interface CredentialToTest extends NewCredential {
	readonly id: string;
}

/** A field whose list comes from a method of its node. */
export interface EditorList {
	readonly nodeType: string;
	readonly field: string;
	readonly method: string;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly credentials: Readonly<Record<string, unknown>>;
}

/** Talks to a running n8n the way its editor does, signed in as the owner. */
export class RestClient extends RestConnection {
	private readonly createdWorkflows = new Map<string, unknown>();

	/** @returns the id under which n8n keeps the workflow */
	async createWorkflow(workflow: Readonly<Record<string, unknown>>): Promise<string> {
		// Without pinned data, of which the editor always sends some, 'Execute step' after a run fails in n8n itself
		const complete = { pinData: {}, ...workflow };
		const created = await this.call('POST', '/rest/workflows', complete);
		const id = readString(created, 'data', 'id');
		this.createdWorkflows.set(id, at(created, 'data'));
		return id;
	}

	/** @returns the id under which n8n keeps the credential */
	async createCredential(credential: NewCredential): Promise<string> {
		const answer = await this.call('POST', '/rest/credentials', credential);
		return readString(answer, 'data', 'id');
	}

	/** Whether this n8n knows what changes in that version. */
	async reportsBreakingChanges(version: 'v3'): Promise<boolean> {
		const path = `/rest/breaking-changes/report?version=${version}`;
		return await this.call('GET', path).then(
			() => true,
			() => false,
		);
	}

	/** What n8n's own report says that saved workflows lose in that version: how many of them, by its title. */
	async breakingChanges(version: 'v3'): Promise<ReadonlyMap<string, number>> {
		const path = `/rest/breaking-changes/report/refresh?version=${version}`;
		const answer = await this.call('POST', path, {});
		return new Map(
			readList(answer, 'data', 'report', 'workflowResults').map((each) => [
				readString(each, 'ruleTitle'),
				Number(at(each, 'nbAffectedWorkflows')),
			]),
		);
	}

	/** The fields of a credential as the editor shows them: what is secret is blanked out. */
	async credentialFields(id: string): Promise<unknown> {
		const answer = await this.call('GET', `/rest/credentials/${id}?includeData=true`);
		return at(answer, 'data', 'data');
	}

	async listWorkflowNames(): Promise<string[]> {
		const list = readList(await this.call('GET', '/rest/workflows'), 'data');
		return list.map((workflow) => readString(workflow, 'name'));
	}

	async listCredentialNames(): Promise<string[]> {
		const list = readList(await this.call('GET', '/rest/credentials'), 'data');
		return list.map((credential) => readString(credential, 'name'));
	}

	/**
	 * Presses 'Execute workflow' and waits for the end of the run.
	 *
	 * @param stopWhen presses the stop button when it resolves
	 */
	async runWorkflow(
		id: string,
		triggerName: string,
		stopWhen?: Promise<unknown>,
	): Promise<FinishedRun> {
		const runId = await this.startRun(id, { triggerToStartFrom: { name: triggerName } });
		if (stopWhen) {
			await stopWhen;
			await this.call('POST', `/rest/executions/${runId}/stop`);
		}
		return await this.waitForRun(runId);
	}

	/** Presses 'Execute workflow' and waits until the run waits for a person. */
	async runUntilItWaits(id: string, triggerName: string): Promise<FinishedRun> {
		const runId = await this.startRun(id, { triggerToStartFrom: { name: triggerName } });
		return await this.waitForRun(runId, new Set([...ENDED, 'waiting']));
	}

	/**
	 * Presses 'Execute step' at a tool of an AI agent and waits for the end of the run. No model takes
	 * part in it.
	 *
	 * @param values what a model would have chosen
	 */
	async runTool(
		id: string,
		triggerName: string,
		toolName: string,
		values: Readonly<Record<string, unknown>>,
	): Promise<FinishedRun> {
		const nameForModel = toolName.replaceAll(' ', '_');
		const query = { [nameForModel]: values };
		const runId = await this.startRun(id, {
			triggerToStartFrom: { name: triggerName },
			destinationNode: { nodeName: toolName, mode: 'inclusive' },
			agentRequest: { query, tool: { name: nameForModel } },
		});
		return await this.waitForRun(runId);
	}

	/** Switches a workflow on: from now on its triggers start it. */
	async activate(id: string): Promise<void> {
		await this.call('POST', `/api/v1/workflows/${id}/activate`);
	}

	async deactivate(id: string): Promise<void> {
		await this.call('POST', `/api/v1/workflows/${id}/deactivate`);
	}

	/** The ended runs of one workflow, the first one first, as soon as there are so many. */
	async runsOf(workflowId: string, count: number): Promise<FinishedRun[]> {
		const giveUpAt = Date.now() + RUN_LIMIT_MS;
		const path = `/api/v1/executions?workflowId=${workflowId}&limit=${RUNS_PER_PAGE}`;
		for (;;) {
			const runs = readList(await this.call('GET', path), 'data');
			const ended = runs.filter((run) => ENDED.has(String(at(run, 'status'))));
			if (ended.length >= count && ended.length === runs.length) {
				const ids = ended.map((run) => String(at(run, 'id'))).reverse();
				return await Promise.all(ids.map(async (id) => await this.waitForRun(id)));
			}
			if (Date.now() > giveUpAt) {
				throw new Error(`Of ${count} runs, ${ended.length} came to an end`);
			}
			await sleep(ASK_EVERY_MS);
		}
	}

	/** The run that was started last, whoever started it. */
	async lastRun(): Promise<FinishedRun> {
		const runs = readList(await this.call('GET', '/api/v1/executions?limit=1'), 'data');
		return await this.waitForRun(String(at(runs, 0, 'id')));
	}

	/** The rows of a data table, by its name. */
	async dataTableRows(name: string): Promise<unknown[]> {
		const tables = await this.dataTables();
		const list = readList(await this.call('GET', tables), 'data', 'data');
		const table = list.find((each) => at(each, 'name') === name);
		const rows = await this.call('GET', `${tables}/${readString(table, 'id')}/rows?take=100`);
		return readList(rows, 'data', 'data');
	}

	/** Makes an empty data table. */
	async createDataTable(
		name: string,
		columns: Readonly<Record<string, 'number' | 'string'>>,
	): Promise<void> {
		const typed = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
		await this.call('POST', await this.dataTables(), { name, columns: typed });
	}

	private async dataTables(): Promise<string> {
		const projects = await this.call('GET', '/rest/projects/personal');
		return `/rest/projects/${readString(projects, 'data', 'id')}/data-tables`;
	}

	/** Presses 'Retry' at a failed run in n8n's list of executions, and waits for the end of the new run. */
	async retryRun({ id }: FinishedRun): Promise<FinishedRun> {
		const started = await this.call('POST', `/rest/executions/${id}/retry`, { loadWorkflow: true });
		return await this.waitForRun(readString(started, 'data', 'id'));
	}

	/** Every saved execution with all its data. */
	async allRuns(): Promise<unknown[]> {
		const runs: unknown[] = [];
		let cursor: unknown = '';
		while (typeof cursor === 'string') {
			const query = `includeData=true&limit=${RUNS_PER_PAGE}${cursor && `&cursor=${cursor}`}`;
			const page = await this.call('GET', `/api/v1/executions?${query}`);
			runs.push(...readList(page, 'data'));
			cursor = at(page, 'nextCursor');
		}
		return runs;
	}

	async testCredential(
		credentials: CredentialToTest,
	): Promise<{ status: string; message: string }> {
		const answer = await this.call('POST', '/rest/credentials/test', { credentials });
		return {
			status: readString(answer, 'data', 'status'),
			message: readString(answer, 'data', 'message'),
		};
	}

	/**
	 * Opens the list of a field, as the editor does.
	 *
	 * @returns what the list shows
	 * @throws with the text of the answer when there is no list
	 */
	async pickFrom(list: EditorList, filter = ''): Promise<string[]> {
		const answer = await this.call(
			'POST',
			'/rest/dynamic-node-parameters/resource-locator-results',
			{
				path: `parameters.${list.field}`,
				methodName: list.method,
				nodeTypeAndVersion: { name: list.nodeType, version: 1 },
				currentNodeParameters: list.parameters,
				credentials: list.credentials,
				...(filter && { filter }),
			},
		);
		return readList(answer, 'data', 'results').map((result) => readString(result, 'name'));
	}

	/** A file that the editor shows, such as an icon. */
	async file(path: string): Promise<{ contentType: string; content: string }> {
		const answer = await this.send('GET', `/${path}`);
		return {
			contentType: answer.headers.get('content-type') ?? '',
			content: await answer.text(),
		};
	}

	/** The node types as the editor gets them. */
	async nodeTypes(): Promise<unknown[]> {
		return readList(await this.call('GET', '/types/nodes.json'));
	}

	async credentialTypes(): Promise<unknown[]> {
		return readList(await this.call('GET', '/types/credentials.json'));
	}

	/** @returns the id of the run */
	private async startRun(
		workflowId: string,
		how: Readonly<Record<string, unknown>>,
	): Promise<string> {
		const started = await this.call('POST', `/rest/workflows/${workflowId}/run`, {
			...how,
			workflowData: this.createdWorkflows.get(workflowId),
		});
		return readString(started, 'data', 'executionId');
	}

	private async waitForRun(id: string, ended = ENDED): Promise<FinishedRun> {
		const start = Date.now();
		while (Date.now() < start + RUN_LIMIT_MS) {
			const execution = await this.call('GET', `/api/v1/executions/${id}?includeData=false`);
			const status = readString(execution, 'status');
			if (ended.has(status)) {
				return { id, status, saved: await this.savedRun(id) };
			}
			// To answer takes n8n time, which a run that is measured would miss
			await sleep(Math.min(Math.max(ASK_EVERY_MS, (Date.now() - start) / 5), 1_000));
		}
		throw new Error(`The run did not end within ${RUN_LIMIT_MS / 1000} s`);
	}

	/** How a run ended may be saved a moment before its data. A run without any node never gets more. */
	private async savedRun(id: string): Promise<unknown> {
		const giveUpAt = Date.now() + SAVED_WITHIN_MS;
		for (;;) {
			const saved = await this.call('GET', `/api/v1/executions/${id}?includeData=true`);
			const isWhole = at(saved, 'data', 'resultData', 'lastNodeExecuted') !== undefined;
			if (isWhole || Date.now() >= giveUpAt) return saved;
			await sleep(ASK_EVERY_MS);
		}
	}
}
