/** The parts of the browser's API that the page uses, since the project has types of a server only. */

export type PageElement = {
	textContent: string | null;
	className: string;
	lang: string;
	hidden: boolean;
	readonly dataset: Record<string, string | undefined>;
	readonly append: (...children: readonly (PageElement | string)[]) => void;
	readonly replaceChildren: (...children: readonly (PageElement | string)[]) => void;
	readonly setAttribute: (name: string, value: string) => void;
	readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
	readonly addEventListener: (type: string, listener: (event: PageEvent) => void) => void;
	readonly focus: () => void;
	/** Of fields. */
	value: string;
	readonly files: Iterable<File> | null;
};

type PageEvent = {
	readonly preventDefault: () => void;
	/** Of what is dragged. */
	readonly dataTransfer: { readonly files: Iterable<File> } | null;
};

type Page = {
	readonly documentElement: PageElement;
	readonly body: PageElement;
	title: string;
	readonly getElementById: (id: string) => PageElement | null;
	readonly createElement: (name: string) => PageElement;
};

const browser = globalThis as unknown as { readonly document: Page; readonly navigator: { readonly language: string } };

export const page: Page = browser.document;
export const prefersSpanish = !/^en\b/i.test(browser.navigator.language);

/** The element that the page's own text has under this id. */
export function elementOf(id: string): PageElement {
	const element = page.getElementById(id);
	if (!element) throw new Error(`the page has no element ${id}`);
	return element;
}

/** A new element with a text, or with others in it. */
export function make(name: string, className: string, ...children: readonly (PageElement | string)[]): PageElement {
	const element = page.createElement(name);
	element.className = className;
	element.append(...children);
	return element;
}
