/** The browser API that the page uses; the project's own types are those of a server. */

export type PageElement = {
	textContent: string | null;
	className: string;
	hidden: boolean;
	readonly dataset: Record<string, string | undefined>;
	readonly append: (...children: readonly (PageElement | string)[]) => void;
	readonly prepend: (...children: readonly PageElement[]) => void;
	readonly replaceChildren: (...children: readonly PageElement[]) => void;
	readonly remove: () => void;
	readonly setAttribute: (name: string, value: string) => void;
	readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
	readonly addEventListener: (type: string, listener: (event: PageEvent) => void) => void;
	/** Of form fields. */
	value: string;
};

type PageEvent = { readonly preventDefault: () => void };

type Page = {
	readonly documentElement: PageElement & { lang: string };
	readonly body: PageElement;
	title: string;
	readonly visibilityState: "visible" | "hidden";
	readonly getElementById: (id: string) => PageElement | null;
	readonly createElement: (name: string) => PageElement;
	readonly addEventListener: (type: string, listener: () => void) => void;
};

const browser = globalThis as unknown as { readonly document: Page; readonly navigator: { readonly language: string } };

export const page: Page = browser.document;
export const prefersSpanish = !/^en\b/i.test(browser.navigator.language);

export function elementOf(id: string): PageElement {
	const element = page.getElementById(id);
	if (!element) throw new Error(`the page has no element ${id}`);
	return element;
}

/** A new element with children. Text is never markup. */
export function make(name: string, className: string, ...children: readonly (PageElement | string)[]): PageElement {
	const element = page.createElement(name);
	element.className = className;
	element.append(...children);
	return element;
}
