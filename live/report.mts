/** What came of one call. Its texts are made of fixed words, codes, and shown names only. */
export type Finding =
	| {
			readonly kind: 'agrees';
			readonly path: string;
			readonly variant: string;
			readonly product?: string;
	  }
	| {
			readonly kind: 'differs';
			readonly path: string;
			readonly variant: string;
			readonly product?: string;
			readonly text: string;
	  }
	/** A name that a stand-in on this machine cannot have. */
	| {
			readonly kind: 'notCompared';
			readonly path: string;
			readonly variant: string;
			readonly product?: string;
			readonly field: string;
	  }
	| {
			readonly kind: 'notAsked';
			readonly path: string;
			readonly variant: string;
			readonly why: string;
	  }
	| {
			readonly kind: 'unanswered';
			readonly path: string;
			readonly variant: string;
			readonly why: string;
	  };

export interface LiveReport {
	/** Undefined where the service was not asked. */
	readonly isAccount: boolean | undefined;
	readonly products: ReadonlyArray<{ readonly product: string; readonly payType: string }>;
	readonly findings: readonly Finding[];
	readonly answers: Array<{
		readonly number: number;
		readonly subject: string;
		readonly answer: string | undefined;
		/** Whether any reading could tell. */
		readonly isReadable: boolean;
	}>;
	/** Why the service was not asked at all. */
	readonly why: string | undefined;
}

const ofKind = <Kind extends Finding['kind']>(findings: readonly Finding[], kind: Kind) =>
	findings.filter((finding): finding is Finding & { kind: Kind } => finding.kind === kind);

function titleOf({ path, variant, product }: { path: string; variant: string; product?: string }) {
	const name = path.startsWith('/') ? `\`${path}\`` : path;
	const details = [product, variant].filter((each) => each !== undefined && each !== '');
	return details.length === 0 ? name : `${name} (${details.join(', ')})`;
}

function section(title: string, lines: readonly string[]): string[] {
	if (lines.length === 0) return [];
	return ['', `## ${title}`, '', ...new Set(lines.map((line) => `- ${line}`))];
}

/** One line for each endpoint, with the products and variants that were asked. */
function agreements(findings: ReadonlyArray<Finding & { kind: 'agrees' }>): string[] {
	return [...new Set(findings.map(({ path }) => path))].map((path) => {
		const details = findings
			.filter((finding) => finding.path === path)
			.map(({ product, variant }) => [product, variant].filter(Boolean).join(' '));
		const shown = [...new Set(details)].filter((each) => each !== '').join(', ');
		return shown === '' ? `\`${path}\`` : `\`${path}\`: ${shown}`;
	});
}

/** The report as Markdown, without keys, logins, addresses, order numbers, and sums. */
export function writeReport({ isAccount, products, findings, answers, why }: LiveReport): string {
	const head = ['# Kuaidaili compared with the sandbox', ''];
	if (why !== undefined) {
		return [...head, `Nothing was asked: ${why}.`, ''].join('\n');
	}
	const kinds = products.map(({ product, payType }) => `${product} ${payType}`);
	const differs = [
		...new Set(
			ofKind(findings, 'differs').map((finding) => `${titleOf(finding)}: ${finding.text}.`),
		),
	];
	const agrees = ofKind(findings, 'agrees');
	const summary = `With the key pair of ${isAccount ? 'an account' : 'an order'}; orders: ${kinds.join(', ') || 'none'}. Answers that agree: ${agrees.length}; differences: ${differs.length}.`;
	const answered = answers.filter(({ answer }) => answer !== undefined);
	const open = answers.filter(({ answer }) => answer === undefined);
	return [
		...[...head, summary],
		...section('Differs', differs),
		...section(
			'Not compared',
			ofKind(findings, 'notCompared').map(
				(finding) =>
					`${titleOf(finding)}: \`${finding.field}\` is a loopback address; the service has a name there, which no stand-in on this machine can have.`,
			),
		),
		...section('Agrees', agreements(agrees)),
		...section(
			'Not answered',
			ofKind(findings, 'unanswered').map((finding) => `${titleOf(finding)}: ${finding.why}.`),
		),
		...section(
			'Not asked',
			ofKind(findings, 'notAsked').map((finding) => `${titleOf(finding)}: ${finding.why}.`),
		),
		...section(
			'Answered, by the numbers of docs/uncertainties.md',
			answered.map(({ number, subject, answer }) => `${number}, ${subject}: ${answer}.`),
		),
		...section(
			'Stays open',
			open.map(
				({ number, subject, isReadable }) =>
					`${number}, ${subject}${isReadable ? ' (not with this key pair)' : ''}.`,
			),
		),
		'',
	].join('\n');
}
