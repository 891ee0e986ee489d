import ts from 'typescript';

/** A place of the product where one thing can be wrong, such as a condition that is turned around. */
export interface Point {
	readonly file: string;
	readonly line: number;
	readonly start: number;
	readonly end: number;
	/** As it stands there. */
	readonly right: string;
	/** In words, for the report. */
	readonly mistake: string;
	/** Code for the place: wrong while the mistake with this number is turned on. */
	withSwitch(id: number): string;
}

const OPPOSITES: Readonly<Record<string, string>> = {
	...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
	...{ '===': '!==', '!==': '===', '&&': '||', '||': '&&' },
};

/** The points of a source file. Types and imports have none. */
export function pointsOf(file: string, text: string): Point[] {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
	const points: Point[] = [];

	function add(
		node: ts.Node,
		mistake: string,
		withSwitch: (isOn: string, right: string) => string,
	): void {
		const [start, end] = [node.getStart(source), node.getEnd()];
		const right = text.slice(start, end);
		const line = source.getLineAndCharacterOfPosition(start).line + 1;
		points.push({
			...{ file, line, start, end, right, mistake },
			withSwitch: (id) => withSwitch(`globalThis.mutant(${id})`, right),
		});
	}

	function visit(node: ts.Node): void {
		if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node)) return;
		if (ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
		if (ts.isIfStatement(node)) addOpposite(node.expression);
		else if (ts.isConditionalExpression(node)) addOpposite(node.condition);
		else if (ts.isBinaryExpression(node)) addOtherOperator(node);
		else if (ts.isExpressionStatement(node)) addMissing(node);
		else if (ts.isNumericLiteral(node)) addOneMore(node);
		else if (isBoolean(node)) addOpposite(node);
		ts.forEachChild(node, visit);
	}

	function addOpposite(node: ts.Node): void {
		add(node, 'is the opposite', (isOn, right) => `(${isOn} !== Boolean(${right}))`);
	}

	function addOtherOperator(node: ts.BinaryExpression): void {
		const { left, right, operatorToken } = node;
		const operator = operatorToken.getText(source);
		const opposite = OPPOSITES[operator];
		if (opposite === undefined) return;
		const [a, b] = [left, right].map((side) => side.getText(source));
		// Each side may itself be one of both
		add(
			node,
			`is ${opposite}`,
			(isOn) => `(${isOn} ? (${a}) ${opposite} (${b}) : (${a}) ${operator} (${b}))`,
		);
	}

	function addMissing(node: ts.ExpressionStatement): void {
		const { expression } = node;
		const isOfParent =
			ts.isCallExpression(expression) && expression.expression.kind === ts.SyntaxKind.SuperKeyword;
		if (isOfParent || ts.isStringLiteral(expression)) return;
		add(node, 'is missing', (isOn, right) => `{ if (!${isOn}) { ${right} } }`);
	}

	function addOneMore(node: ts.NumericLiteral): void {
		const isName = 'name' in node.parent && node.parent.name === node;
		if (!isName) add(node, 'is one more', (isOn, right) => `(${right} + Number(${isOn}))`);
	}

	visit(source);
	return points;
}

function isBoolean({ kind }: ts.Node): boolean {
	return kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;
}
