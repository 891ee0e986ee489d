// Runs inside the page of the editor, as text: what the editor shows is read there in one go.
globalThis.editorView = (() => {
	const PARAMETERS = '[data-test-id=node-parameters] .parameter-input-list-wrapper';
	const FIELD =
		':scope > .parameter-item, :scope > .multi-parameter, :scope > .fixed-collection-parameter-wrapper';

	const textOf = (element) => (element ? element.innerText.trim() : '');

	const labelOf = (field) => textOf(field.querySelector('.n8n-input-label .n8n-text'));

	const numberIn = (input, attribute) =>
		input.hasAttribute(attribute) ? Number(input.getAttribute(attribute)) : null;

	const valueOf = (field) => {
		const path = field.querySelector('[data-parameter-path]');
		const expression = path && path.querySelector('.cm-content');
		if (expression) return { value: `=${textOf(expression)}` };
		const input = path && [...path.querySelectorAll('input')].pop();
		if (!input) return {};
		if (input.getAttribute('role') === 'switch') {
			return { value: input.getAttribute('aria-checked') === 'true' ? 'on' : 'off' };
		}
		return {
			value: input.value,
			min: numberIn(input, 'aria-valuemin'),
			max: numberIn(input, 'aria-valuemax'),
		};
	};

	/** What stands below the field, whatever is typed into it. */
	const hintOf = (field) =>
		[...field.querySelectorAll('[data-test-id=parameter-input] .n8n-text')]
			.filter((text) => !text.closest('.parameter-value-container'))
			.map(textOf)[0];

	/** The fields of the opened node from top to bottom, without the tab 'Settings'. */
	const fields = () => {
		const [list] = document.querySelectorAll(PARAMETERS);
		if (!list) return [];
		return [...list.children]
			.flatMap((item) => [...item.querySelectorAll(FIELD)])
			.map((field) =>
				field.classList.contains('notice')
					? { notice: textOf(field) }
					: field.classList.contains('fixed-collection-parameter-wrapper')
						? { label: labelOf(field) }
						: { label: labelOf(field), ...valueOf(field), hint: hintOf(field) },
			);
	};

	const clips = (style, direction) => ['hidden', 'clip'].includes(style[direction]);

	/** Whether a part of a text lies outside of what a box around it shows. */
	const isCutOff = (node, root) => {
		const range = document.createRange();
		range.selectNodeContents(node);
		const text = range.getBoundingClientRect();
		if (text.width === 0) return false;
		for (let box = node.parentElement; box && root.contains(box); box = box.parentElement) {
			const style = getComputedStyle(box);
			const limits = box.getBoundingClientRect();
			if (clips(style, 'overflowX') && text.right > limits.right + 1) return true;
			if (clips(style, 'overflowY') && text.bottom > limits.bottom + 2) return true;
		}
		return false;
	};

	const cutOffTexts = (root) => {
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		const texts = [];
		while (walker.nextNode()) {
			const node = walker.currentNode;
			if (node.data.trim() && isCutOff(node, root)) texts.push(node.data.trim());
		}
		return texts;
	};

	/** Neither does a value that is too long make a box around it larger, nor a placeholder. */
	const isCutOffInput = (input) => {
		const style = getComputedStyle(input);
		const pen = document.createElement('canvas').getContext('2d');
		pen.font = style.font;
		const { width } = pen.measureText(input.value || input.placeholder);
		const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
		return room > 0 && width > room + 1;
	};

	const cutOffInputs = (root) =>
		[...root.querySelectorAll('input:not([type=password])')]
			.filter(isCutOffInput)
			.map((input) => input.value || input.placeholder);

	/** The texts below an element that the editor cuts off, those inside of inputs included. */
	const cutOff = (selector) => {
		const roots = [...document.querySelectorAll(selector)];
		if (roots.length === 0) throw new Error(`Nothing on the page is ${selector}`);
		return roots.flatMap((root) => [...cutOffTexts(root), ...cutOffInputs(root)]);
	};

	return { fields, cutOff };
})();
