import { compile } from 'css-select';
import { render } from 'dom-serializer';
import type { AnyNode, Element } from 'domhandler';

/** Whether an element is one of those that a CSS selector picks. Throws an error that says what is wrong with it. */
export function compileSelector(selector: string): (element: Element) => boolean {
	return compile<AnyNode, Element>(selector);
}

/** What an element holds, as HTML. */
export function innerHtml(element: Element): string {
	return render(element.children, { encodeEntities: 'utf8' });
}
