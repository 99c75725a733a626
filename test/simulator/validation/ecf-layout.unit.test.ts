/** The layout against the authority's own schemas, where they are at hand: the fullest document of each type, and what breaks it. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ECF_LAYOUTS } from "../../../src/simulator/validation/ecf-layout";
import type { Form } from "../../../src/simulator/validation/forms";
import { ALL_TYPES, type Block, type Landmark } from "../../../src/simulator/validation/layouts";
import { type ReadDocument, readDocument } from "../../../src/simulator/validation/read-document";
import { checkAgainst } from "../../../src/simulator/validation/structure";
import { AUTHORITY_SCHEMAS, findJudge, hasSchemas } from "../../support/judges";

/** Counts of lines and pages, of which notes may have more. */
const COUNTED = ["NumeroLinea", "PaginaNo", "NoLineaDesde", "NoLineaHasta", "TotalPaginas"];

const folder = mkdtempSync(join(tmpdir(), "simulator-layout-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** For each form the first that fits; plain texts take the first of all. */
const SAMPLES = [
	...["1", "01", "001", "18", "16", "0", "2", "1.0", "USD", "CT", "$", "D", "ABC", "010101", "31-12-2028"],
	...["31-12-2028 10:00:00", "809-555-0100", "a@example.do", "990000001", "E310000000001"],
];

function sampleOf(form: Form | undefined, type: string): string {
	const sample = form?.fits(type) && form.says === "tipo" ? type : SAMPLES.find((text) => form?.fits(text) ?? true);
	if (sample === undefined) throw new Error(`no sample for ${form?.says}`);
	return sample;
}

/** Every element of a block once; `change` may put another text in the place of one. */
function write(
	block: Block,
	type: string,
	change: (landmark: Landmark, path: string) => string | undefined,
	path = "",
): string {
	return block.landmarks
		.map((landmark) => {
			const at = `${path}/${landmark.name}`;
			const changed = change(landmark, at);
			if (changed !== undefined) return changed;
			const content = landmark.block ? write(landmark.block, type, change, at) : sampleOf(landmark.form, type);
			return element(landmark.name, content);
		})
		.join("");
}

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;

function layoutOf(type: string): Block {
	const layout = ECF_LAYOUTS.get(type);
	if (!layout) throw new Error(`no layout for ${type}`);
	return layout;
}

function document(type: string, change: Parameters<typeof write>[2] = () => undefined): string {
	return `<ECF>${write(layoutOf(type), type, change)}</ECF>`;
}

function pathsOf(block: Block, path = ""): { landmark: Landmark; path: string }[] {
	return block.landmarks.flatMap((landmark) => {
		const at = `${path}/${landmark.name}`;
		return [{ landmark, path: at }, ...(landmark.block ? pathsOf(landmark.block, at) : [])];
	});
}

const isGoodHere = (xml: string, type: string) => {
	const read = readDocument(new TextEncoder().encode(xml)) as ReadDocument;
	return checkAgainst(read.root, layoutOf(type)).length === 0;
};

/** What the authority's schema says of many documents, with a place for the signature that it wants. */
function judge(documents: ReadonlyMap<string, string>, type: string): Map<string, boolean> {
	const schema = join(folder, `${type}.xsd`);
	// Some of the published schemas need repairs: a name with a space, and patterns with the anchors of another engine.
	const text = readFileSync(join(AUTHORITY_SCHEMAS, `e-CF ${type} v.1.0.xsd`), "latin1");
	writeFileSync(schema, text.replace(/name=" +/g, 'name="').replace(/value="\^([^"]*)\$"/g, 'value="$1"'), "latin1");
	const files = [...documents].map(([name, xml], n) => {
		const file = join(folder, `${type}-${n}.xml`);
		writeFileSync(file, xml.replace("</ECF>", "<Signature>x</Signature></ECF>"));
		return [file, name] as const;
	});
	const reported = Bun.spawnSync(["xmllint", "--noout", "--nonet", "--schema", schema, ...files.map(([file]) => file)]);
	const lines = reported.stderr.toString().split("\n");
	return new Map(files.map(([file, name]) => [name, lines.includes(`${file} validates`)]));
}

const hasJudge = hasSchemas() && findJudge("xmllint") !== undefined;

describe.skipIf(!hasJudge)("the layout agrees with the authority's schema", () => {
	test.each(ALL_TYPES)("of type %s: the fullest document, and each element missing, doubled or invalid", (type) => {
		const documents = new Map([["whole", document(type)]]);
		const only = (path: string, made: (landmark: Landmark) => string) =>
			document(type, (landmark, at) => (at === path ? made(landmark) : undefined));
		for (const { landmark, path } of pathsOf(layoutOf(type))) {
			documents.set(
				`${path} left out`,
				only(path, () => ""),
			);
			if (landmark.block) {
				documents.set(
					`${path} text`,
					only(path, ({ name }) => element(name, "abc")),
				);
			} else {
				documents.set(
					`${path} nonsense`,
					only(path, ({ name }) => element(name, `!${"x".repeat(1001)}`)),
				);
				documents.set(
					`${path} letters`,
					only(path, ({ name }) => element(name, "abc")),
				);
				if (COUNTED.includes(landmark.name)) {
					for (const count of ["1000", "1001", "9999", "10000", "10001", "99999", "100000"]) {
						documents.set(
							`${path} ${count}`,
							only(path, ({ name }) => element(name, count)),
						);
					}
				}
				const twice = ({ name, form }: Landmark) => element(name, sampleOf(form, type)).repeat(2);
				documents.set(`${path} twice`, only(path, twice));
			}
			documents.set(
				`${path} followed by a outsider`,
				only(path, ({ name }) => `<${name}>1</${name}><Extra>1</Extra>`),
			);
		}
		const judged = judge(documents, type);
		const differing = [...documents]
			.filter(([name, xml]) => isGoodHere(xml, type) !== judged.get(name))
			.map(([name]) => `${name}: ${judged.get(name) ? "valid" : "invalid"} by the schema`);
		expect(differing.filter((line) => !isKnown(line))).toEqual([]);
	});
});

/** Where the schema is wrong, as its own comments and the authority's answers show, or says less than the format. */
function isKnown(line: string): boolean {
	return [
		// Any two digits; the format wants the rate itself.
		/ITBIS[123] /,
	].some((known) => known.test(line));
}
