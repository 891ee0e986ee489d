/** What came of one call. Its texts are made of fixed words, codes, and shown names only. */
export interface Finding {
	readonly kind: 'differs' | 'agrees' | 'notAnswered' | 'notAsked';
	readonly path: string;
	readonly variant: string;
	readonly product?: string;
	/** A sentence without a period; empty where the answers agree. */
	readonly text: string;
}

export interface LiveReport {
	readonly isAccount: boolean;
	/** Products and pay types that were asked. */
	readonly orders: readonly string[];
	readonly findings: readonly Finding[];
}

const SECTIONS: ReadonlyArray<readonly [kind: Finding['kind'], title: string]> = [
	['differs', 'Differs'],
	['agrees', 'Agrees'],
	['notAnswered', 'Not answered'],
	['notAsked', 'Not asked'],
];

function lineOf({ path, product, text, variant }: Finding): string {
	const details = [product, variant].filter((each) => each !== undefined && each !== '');
	const title = `\`${path}\`${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
	return text === '' ? `- ${title}` : `- ${title}: ${text}.`;
}

/** The report as Markdown, without keys, logins, addresses, order numbers, and sums. */
export function writeReport({ isAccount, orders, findings }: LiveReport): string {
	const linesOf = (kind: Finding['kind']) => [
		...new Set(findings.filter((finding) => finding.kind === kind).map(lineOf)),
	];
	const sections = SECTIONS.flatMap(([kind, title]) => {
		const lines = linesOf(kind);
		return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
	});
	const summary = `With the key pair of ${isAccount ? 'an account' : 'an order'}; orders: ${orders.join(', ') || 'none'}. Answers that agree: ${linesOf('agrees').length}; differences: ${linesOf('differs').length}.`;
	return ['# Kuaidaili compared with the sandbox', '', summary, ...sections, ''].join('\n');
}
