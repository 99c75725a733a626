/** The verifier as a page: files are chosen or dropped, reports are text. Nothing in a file becomes markup. */

import { parseTrustedAuthorities } from "../../../ecf/verification";
import { sha256Hex } from "../cryptography";
import { EVIDENCE_LIMITS } from "../read-zip";
import {
	CHECK_TITLES,
	type Check,
	type EvidenceOptions,
	type EvidenceReport,
	verifyEvidence,
} from "../verify-evidence";
import { LABELS, TEXTS } from "./texts";

/** The parts of the browser's API that the page uses, since the project has types of a server only. */
type PageElement = {
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

const page: Page = browser.document;
const prefersSpanish = !/^en\b/i.test(browser.navigator.language);

function elementOf(id: string): PageElement {
	const element = page.getElementById(id);
	if (!element) throw new Error(`the page has no element ${id}`);
	return element;
}

/** A new element with a text, or with others in it. */
function make(name: string, className: string, ...children: readonly (PageElement | string)[]): PageElement {
	const element = page.createElement(name);
	element.className = className;
	element.append(...children);
	return element;
}

type Language = "en" | "es";

type Result = {
	readonly file: string;
	readonly sha256: string;
	readonly at: string;
	readonly report: EvidenceReport;
};

/** Keys, notes and bundles are small texts. */
const TEXT_BYTES_MAX = 1024 * 1024;

let language: Language = prefersSpanish ? "es" : "en";
let results: readonly Result[] = [];
let refusal: string | undefined;
/** The last choice wins: an earlier round that still runs shows nothing. */
let round = 0;
let chosen: readonly File[] = [];

const files = elementOf("files");
const dropZone = elementOf("drop-zone");
const FIELDS = ["key", "ca", "checkpoint", "consistency"] as const;

files.addEventListener("change", () => verifyAll([...(files.files ?? [])]));
for (const id of FIELDS) elementOf(id).addEventListener("change", () => verifyAll(chosen));
for (const type of ["dragover", "dragenter"]) {
	dropZone.addEventListener(type, (event) => {
		event.preventDefault();
		dropZone.dataset.over = "yes";
	});
}
dropZone.addEventListener("dragleave", () => {
	dropZone.dataset.over = "no";
});
dropZone.addEventListener("drop", (event) => {
	event.preventDefault();
	dropZone.dataset.over = "no";
	return verifyAll([...(event.dataTransfer?.files ?? [])]);
});
for (const one of ["es", "en"] as const) elementOf(`to-${one}`).addEventListener("click", () => speak(one));
speak(language);

async function verifyAll(given: readonly File[]): Promise<void> {
	// For dropped text or a cancelled choice, the results stay, and so do the files that a later key applies to.
	if (given.length === 0) return;
	chosen = given;
	const own = ++round;
	refusal = undefined;
	results = [];
	elementOf("results").replaceChildren(make("p", "", TEXTS.working[language]));
	try {
		const options = await readOptions();
		const made: Result[] = [];
		for (const file of given) made.push(await verifyOne(file, options));
		if (own === round) results = made;
	} catch (error) {
		if (own === round) refusal = error instanceof Error ? error.message : String(error);
	}
	if (own === round) show();
}

async function verifyOne(file: File, options: EvidenceOptions): Promise<Result> {
	// Reads only enough of a file to see that it is too large.
	const bytes = new Uint8Array(await file.slice(0, EVIDENCE_LIMITS.bytesMax + 1).arrayBuffer());
	const report = await verifyEvidence(bytes, options);
	return { file: file.name, sha256: sha256Hex(bytes), at: options.now.toISOString(), report };
}

/** Throws an Error if a field has an unusable value. */
async function readOptions(): Promise<EvidenceOptions> {
	const [ca, checkpoint, consistency] = await Promise.all(["ca", "checkpoint", "consistency"].map(readField));
	const key = elementOf("key").value.trim();
	return {
		now: new Date(),
		key: key === "" ? undefined : key,
		authorities: ca === undefined ? undefined : parseTrustedAuthorities(ca, "PEM"),
		checkpoint,
		consistency: consistency === undefined ? undefined : JSON.parse(consistency),
	};
}

async function readField(id: string): Promise<string | undefined> {
	const [file] = [...(elementOf(id).files ?? [])];
	return file?.slice(0, TEXT_BYTES_MAX).text();
}

function speak(one: Language): void {
	language = one;
	page.documentElement.lang = one;
	page.title = TEXTS.title[one];
	for (const element of page.body.querySelectorAll("[data-text]")) {
		const name = element.dataset.text as keyof typeof TEXTS;
		element.textContent = TEXTS[name][one];
	}
	for (const other of ["es", "en"]) elementOf(`to-${other}`).setAttribute("aria-pressed", String(other === one));
	show();
}

function show(): void {
	const shown =
		refusal === undefined ? results.map(toSection) : [make("p", "bad", `${LABELS.unusable[language]}: ${refusal}`)];
	elementOf("results").replaceChildren(...(shown.length > 0 ? shown : [make("p", "", TEXTS.nothing[language])]));
}

function toSection({ file, sha256, at, report }: Result): PageElement {
	const { ok, checks } = report;
	const count = (which: boolean | null) => checks.filter((check) => check.ok === which).length;
	const verdict = make("p", `verdict ${ok ? "good" : "bad"}`, `${ok ? "✔" : "✘"} ${report.verdict[language]}`);
	const section = make("section", "result");
	section.dataset.ok = String(ok);
	section.append(
		make("h3", "", file),
		verdict,
		make("p", "facts", LABELS.counts[language](count(true), count(false), count(null))),
		make("p", "facts", `SHA-256 ${sha256}; ${LABELS.at[language]} ${at}`),
		make("ul", "checks", ...checks.map(toItem)),
	);
	return section;
}

function toItem({ name, ok, detail }: Check): PageElement {
	const kind = ok === null ? "open" : ok ? "passed" : "failed";
	const sign = { passed: "✔", failed: "✘", open: "○" }[kind];
	const item = make(
		"li",
		kind,
		make("strong", "mark", `${sign} ${LABELS[kind][language]}`),
		make("span", "title", CHECK_TITLES[name][language]),
		make("span", "detail", detail[language]),
	);
	item.dataset.check = name;
	item.dataset.outcome = kind;
	return item;
}
