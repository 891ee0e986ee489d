import { startChild } from '../../scripts/children.mjs';

/** How to start an n8n: the command, and what stands before `start`, `import:workflow` and so on. */
export interface N8nProgram {
	readonly command: string;
	readonly before: readonly string[];
	/** Where n8n finds the Node.js for its helper processes; undefined means on the PATH. */
	readonly binFolder: string | undefined;
	/** For people: which n8n it is and where it comes from. */
	readonly origin: string;
}

export interface ProgramResult {
	readonly code: number | null;
	readonly output: string;
}

/** Runs a command to its end and keeps what it prints. A command that does not exist has code null. */
export async function runToEnd(
	command: string,
	args: readonly string[],
	options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ProgramResult> {
	const child = startChild(command, args, options);
	let output = '';
	const keep = (chunk: Buffer) => {
		output += chunk.toString();
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	return await new Promise((resolve) => {
		child.once('error', (error) => resolve({ code: null, output: output + error.message }));
		child.once('close', (code) => resolve({ code, output }));
	});
}
