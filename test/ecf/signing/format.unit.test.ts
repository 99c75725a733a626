import { describe, expect, test } from "bun:test";
import { carries, charactersMax, decimalsMax, ECF, mostOf, RFCE } from "../../../src/ecf/format/ecf";
import type { Element } from "../../../src/ecf/format/element";
import { ECF_TYPES, type EcfType, profileOf } from "../../../src/ecf/mapping";
import { hasSchemas } from "../../support/judges";
import { readSchema, type SchemaElement } from "./read-schema";

const judges = hasSchemas();

type Row = { readonly path: string; readonly mandatory: boolean; readonly most: number; readonly length?: number };

function* rowsOfTable(element: Element, type: EcfType, parent = ""): Iterable<Row> {
	const presence = element.presence[type];
	if (!presence) return;
	const path = `${parent}/${element.name}`;
	const length = element.form?.charactersMax;
	yield { path, mandatory: presence === "M", most: element.most(type), ...(length ? { length } : {}) };
	for (const child of element.children) yield* rowsOfTable(child, type, path);
}

/** A length is only compared where the table has one: schemas bound numbers and codes by patterns. */
function* rowsOfSchema(element: SchemaElement, lengths: ReadonlyMap<string, number>, parent = ""): Iterable<Row> {
	const path = `${parent}/${element.name}`;
	const length = lengths.has(path) ? element.charactersMax : undefined;
	yield { path, mandatory: element.isMandatory, most: element.most, ...(length ? { length } : {}) };
	for (const child of element.children) yield* rowsOfSchema(child, lengths, path);
}

function compare(table: Element, type: EcfType, file: string): void {
	// The format allows more lines to a document that is not sent than the schema does.
	const ours = [...rowsOfTable(table, type)].map((row) =>
		row.path === "/ECF/DetallesItems/Item" ? { ...row, most: profileOf(type).linesMax } : row,
	);
	const lengths = new Map(ours.flatMap(({ path, length }) => (length ? [[path, length] as const] : [])));
	expect(ours).toEqual([...rowsOfSchema(readSchema(file), lengths)]);
}

describe("the element table", () => {
	for (const type of ECF_TYPES) {
		test.skipIf(!judges)(`equals the authority's schema for ${type}: order, places, repeats, lengths`, () => {
			compare(ECF, type, `e-CF ${type} v.1.0.xsd`);
		});
	}

	test.skipIf(!judges)("of the summary has the elements of the authority's schema", () => {
		compare(RFCE, "32", "RFCE 32 v.1.0.xsd");
	});

	test("says which types carry an element", () => {
		const carriers = (element: string) => ECF_TYPES.filter((type) => carries(type, element));
		expect(carriers("Retencion")).toEqual(["31", "33", "34", "41"]);
		expect(carriers("TotalITBIS")).toEqual(["31", "32", "33", "34", "41"]);
		expect(carriers("CodigoVendedor")).toEqual(["31", "32", "33", "34", "44"]);
		expect(carriers("RazonModificacion")).toEqual(["33", "34"]);
		expect(carriers("NoSuchElement")).toEqual([]);
	});

	test("says how long a text, how precise a number and how frequent an element may be", () => {
		expect(charactersMax("NombreItem")).toBe(80);
		expect(() => charactersMax("MontoTotal")).toThrow(RangeError);
		expect([decimalsMax("MontoTotal"), decimalsMax("PrecioUnitarioItem"), decimalsMax("TipoCambio")]).toEqual([
			2, 4, 4,
		]);
		expect(() => decimalsMax("NombreItem")).toThrow(RangeError);
		expect([mostOf("31", "DetallesItems/Item"), mostOf("34", "DetallesItems/Item")]).toEqual([1_000, 10_000]);
		expect(mostOf("31", "ImpuestosAdicionales/ImpuestoAdicional")).toBe(20);
		expect(mostOf("31", "TablaImpuestoAdicional/ImpuestoAdicional")).toBe(2);
	});
});
