/** Documents of others by the table that ours are written by: what we write passes, and the simulator's own table agrees on what is broken. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findFormatFault, toEcfType } from "../../../src/ecf/mapping";
import { isXmlElement, readXmlText } from "../../../src/platform/xml";
import { readDocument } from "../../../src/simulator/validation/read-document";
import { checkStructure } from "../../../src/simulator/validation/structure";

const folder = join(import.meta.dir, "../../../data/golden/ecf");
const names = readdirSync(folder).filter((name) => name.endsWith(".xml") && !name.includes("summary.xml"));
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const typeOf = (name: string) => {
	const type = toEcfType(name.slice(0, 2));
	if (!type) throw new Error(`no type: ${name}`);
	return type;
};

function faultOf(name: string, xml: string): string | undefined {
	const root = readXmlText(xml);
	return isXmlElement(root) ? findFormatFault(root, typeOf(name))?.toString() : "unreadable";
}

function isRefusedBySimulator(xml: string): boolean {
	const document = readDocument(Buffer.from(xml));
	if (typeof document === "string") return true;
	const at = (tag: string) => new RegExp(`<${tag}>([^<]*)<`).exec(xml)?.[1] ?? "";
	return checkStructure(document.root, "main", { rnc: at("RNCEmisor"), encf: at("eNCF") }).length > 0;
}

test("every golden document has the form, but for notes without what they modify", () => {
	const faults = names.map((name) => [name, faultOf(name, read(name))]).filter(([, fault]) => fault !== undefined);
	expect(faults.toSorted()).toEqual(
		["33-minimal.xml", "34-minimal.xml"].map((name) => [name, "/ECF/InformacionReferencia is missing"]),
	);
});

test("a version may be any spelling of its number, and codes may have white space", () => {
	for (const version of ["1", "1.00", " 1.0 "]) {
		const xml = read("31-minimal.xml")
			.replace("<Version>1.0<", `<Version>${version}<`)
			.replace("<TipoPago>1<", "<TipoPago> 1\n<");
		expect([version, faultOf("31-minimal.xml", xml)]).toEqual([version, undefined]);
	}
	expect(faultOf("31-minimal.xml", read("31-minimal.xml").replace("<Version>1.0<", "<Version>2.0<"))).toBeString();
});

test.each(["31-everything.xml", "34-everything.xml"])(
	"whatever element of %s is left out, doubled or emptied, both tables say the same",
	(name) => {
		const xml = read(name);
		const tags = [...new Set([...xml.matchAll(/<([A-Za-z]\w*)>/g)].map(([, tag = ""]) => tag))].filter(
			(tag) => tag !== "ECF",
		);
		const differing: string[] = [];
		for (const tag of tags) {
			const element = new RegExp(`<${tag}>.*?</${tag}>`, "s").exec(xml)?.[0] ?? "";
			const leaf = !element.slice(1).includes("<", tag.length) || !/<\w+>.*<\w+>/s.test(element);
			const broken: Record<string, string> = {
				"left out": xml.replace(element, ""),
				doubled: xml.replace(element, () => element + element),
				...(leaf
					? {
							emptied: xml.replace(element, `<${tag}></${tag}>`),
							filled: xml.replace(element, `<${tag}>¿?¿?</${tag}>`),
						}
					: {}),
			};
			for (const [how, text] of Object.entries(broken)) {
				const ours = faultOf(name, text);
				if ((ours !== undefined) !== isRefusedBySimulator(text)) differing.push(`${tag} ${how}: ${ours ?? "good"}`);
			}
		}
		// Numbers of paper documents have had many forms; ours takes any text.
		expect(differing).toEqual(["NCFModificado filled: good"]);
	},
);
