import { PollContext, PollTriggerExecutor } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { newWorkflow } from '../../../harness/engine/workflow.mts';
import type { Engine } from './engine.mts';
import { uniqueName } from '../../uniqueName.mts';
import { Container } from './n8nLogger.mts';

type Workflow = ReturnType<typeof newWorkflow>;

export interface PollerSettings {
	/** Of the trigger; what is not named has its default. */
	parameters: IDataObject;
	credentialId: string;
}

/** What a poll led to: the items of the execution that it started, or null. */
export type Polled = INodeExecutionData[] | null;

/** A workflow while it is active. All its polls have one context. */
interface Active {
	readonly workflow: Workflow;
	readonly context: PollContext;
	isCurrent: boolean;
	/** What the polls led to, in the order in which they ended. */
	readonly emitted: INodeExecutionData[][];
	readonly failures: Error[];
}

/**
 * A workflow with the built trigger in n8n's own context, and n8n's rules for what the trigger
 * remembers: it is kept in memory; it is saved when an execution starts, at activation and at
 * deactivation, and only if it changed; a crash leaves what was saved.
 */
export class Poller {
	private readonly executor = Container.get(PollTriggerExecutor);

	/** As in the database. */
	private saved = '{}';

	private active: Active | undefined;

	private nodeId = uniqueName('trigger');

	/** The time that n8n gives a poll; its own five minutes where it is not set. */
	budgetMs: number | undefined;

	constructor(
		private readonly engine: Engine,
		/** What the user edits; it counts from the next activation on. */
		public settings: PollerSettings,
	) {}

	/** What the trigger remembers at this moment, saved or not. */
	get state(): string {
		return this.active === undefined ? this.saved : JSON.stringify(this.active.workflow.staticData);
	}

	get savedState(): string {
		return this.saved;
	}

	get isActive(): boolean {
		return this.active !== undefined;
	}

	/**
	 * Polls at once, as n8n does.
	 *
	 * @throws what keeps the workflow from becoming active
	 */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<Polled> {
		const active = this.newActive(activation);
		const polled = await this.execute(active, true);
		this.active = active;
		this.save(active.workflow);
		return polled;
	}

	/** @throws what n8n would save as an execution that failed */
	async poll(): Promise<Polled> {
		if (this.active === undefined) throw new Error('The workflow is not active');
		return await this.execute(this.active, false);
	}

	/**
	 * A poll of n8n's durable scheduler, without its durable cursors: with a workflow of its own, which begins with what is
	 * saved, and with a budget. Nothing is saved unless it emits.
	 */
	async pollInScheduler(): Promise<Polled> {
		this.budgetMs ??= 36_000;
		return await this.execute(this.newActive('update'), false);
	}

	deactivate(): void {
		if (this.active === undefined) return;
		this.save(this.active.workflow);
		this.stop();
	}

	/** Nothing is saved. A poll that is under way goes on in vain. Another process starts afterwards. */
	crash(): void {
		this.stop();
		// What the process knew of the trigger is gone
		this.nodeId = uniqueName('trigger');
	}

	private stop(): void {
		if (this.active !== undefined) this.active.isCurrent = false;
		this.active = undefined;
	}

	/** "Execute step" in the editor. */
	async tryOut(): Promise<Polled> {
		const workflow = this.load();
		const context = this.context(workflow, 'manual', 'manual');
		const { kuaidailiTrigger } = this.engine.nodeTypes;
		const output = (await kuaidailiTrigger.poll?.call(context)) ?? null;
		expect(workflow.staticData.__dataChanged).toBe(false);
		return output === null ? null : itemsOf(output);
	}

	private newActive(activation: WorkflowActivateMode): Active {
		const workflow = this.load();
		const emitted: INodeExecutionData[][] = [];
		const failures: Error[] = [];
		const context = this.context(
			workflow,
			'trigger',
			activation,
			(data) => {
				this.save(workflow);
				// As the next node gets it: what cannot be saved would be lost
				emitted.push(JSON.parse(JSON.stringify(itemsOf(data))));
			},
			(error) => failures.push(error),
		);
		return { workflow, context, isCurrent: true, emitted, failures };
	}

	private async execute(active: Active, isFirst: boolean): Promise<Polled> {
		const { workflow, context, emitted, failures } = active;
		const run = this.executor.create(workflow, this.node, context, () => active.isCurrent);
		await run(isFirst);
		const failure = failures.pop();
		if (failure !== undefined) throw failure;
		return emitted.pop() ?? null;
	}

	private context(
		workflow: Workflow,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
		emit?: (data: INodeExecutionData[][]) => void,
		emitError?: (error: Error) => void,
	): PollContext {
		const { node, engine, budgetMs } = this;
		return new PollContext(
			workflow,
			workflow.getNode(node.name) ?? node,
			engine.additionalData(),
			mode,
			activation,
			emit,
			emitError,
			undefined,
			undefined,
			undefined,
			budgetMs === undefined ? undefined : () => budgetMs,
		);
	}

	private get node(): INode {
		const { parameters, credentialId } = this.settings;
		return {
			id: this.nodeId,
			name: 'Kuaidaili Trigger',
			type: 'kuaidailiTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: parameters as INode['parameters'],
			credentials: { kuaidailiApi: { id: credentialId, name: 'test' } },
		};
	}

	private load(): Workflow {
		return newWorkflow({
			nodes: [structuredClone(this.node)],
			connections: {},
			nodeTypes: this.engine.nodeTypes,
			staticData: JSON.parse(this.saved),
		});
	}

	private save({ staticData }: Workflow): void {
		if (staticData.__dataChanged !== true) return;
		this.saved = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}
}

function itemsOf(data: INodeExecutionData[][]): INodeExecutionData[] {
	expect(data).toHaveLength(1);
	return data[0];
}
