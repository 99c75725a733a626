import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { OperationTable } from "../../../src/platform/operation";
import { makeOperation } from "./support/call";

const table = new OperationTable([
	makeOperation({ method: "GET", path: "/v1/authority/document/{document}" }),
	makeOperation({ method: "GET", path: "/v1/authority/document:search" }),
	makeOperation({ method: "POST", path: "/v1/authority/document/{document}:purge" }),
	makeOperation({ method: "GET", path: "/v1/things/{id}" }),
	makeOperation({ method: "GET", path: "/v1/things/latest" }),
	makeOperation({ method: "DELETE", path: "/v1/things/{id}" }),
	makeOperation({ method: "POST", path: "/v1/things" }),
	makeOperation({ method: "GET", path: "/v1/things" }),
	makeOperation({ method: "GET", path: "/v1/things/{id}/parts/{part}" }),
	makeOperation({ method: "GET", path: "/files/v{version}.json" }),
	makeOperation({ method: "POST", path: "/fe/recepcion/api/ecf" }),
]);

/** The id of what is found with its parameters, the methods that are allowed, or "nothing". */
function find(method: string, path: string): unknown {
	const match = table.find(method, path);
	if (match.found === "operation") return [match.operation.id, match.params];
	return match.found === "other-method" ? match.allow : match.found;
}

describe("an operation that covers all paths below its own", () => {
	const covering = new OperationTable([
		{ ...makeOperation({ method: "GET", path: "/pages" }), coversBelow: true },
		makeOperation({ method: "GET", path: "/pages/files/{name}" }),
	]);
	const found = (method: string, path: string) => {
		const match = covering.find(method, path);
		return match.found === "operation" ? match.operation.id : match.found;
	};

	test("gets those that no other operation has, however they are written", () => {
		for (const path of ["/pages", "/pages/", "/pages/a/b", "/pages/files", "/pages/%E0%A4%A", "/pages//x"])
			expect({ path, id: found("GET", path) }).toEqual({ path, id: "GET /pages" });
		expect(found("GET", "/pages/files/a")).toBe("GET /pages/files/{name}");
	});

	test("gets neither other methods nor paths that only begin alike", () => {
		expect([found("POST", "/pages/a"), found("GET", "/pagesx"), found("GET", "/")]).toEqual([
			"other-method",
			"nothing",
			"nothing",
		]);
	});
});

describe("paths of peers", () => {
	test("are found in any letters, with their accent too", () => {
		for (const path of [
			"/fe/recepcion/api/ecf",
			"/FE/Recepcion/API/eCF",
			"/Fe/recepci%C3%B3n/api/ecf",
			"/fe/RECEPCI%C3%93N/api/ecf",
		])
			expect(find("POST", path)).toEqual(["POST /fe/recepcion/api/ecf", {}]);
	});

	test("are not found with other segments or other letters", () => {
		for (const path of [
			"/fe/recepcion/api",
			"/fe/recepcion/api/ecf/",
			"/fee/recepcion/api/ecf",
			"/x/fe/recepcion/api/ecf",
			"/V1/things",
		])
			expect([path, find("POST", path)]).toEqual([path, "nothing"]);
	});

	test("cannot be declared in letters that are never met", () => {
		expect(() => new OperationTable([makeOperation({ method: "POST", path: "/fe/Recepcion/api/ecf" })])).toThrow(
			"small letters",
		);
	});
});

describe("custom verbs", () => {
	test("are found by their exact text, percent-encoded or not", () => {
		for (const path of [
			"/v1/authority/document:search",
			"/v1/authority/document%3Asearch",
			"/v1/authority/document%3asearch",
		]) {
			expect(find("GET", path)).toEqual(["GET /v1/authority/document:search", {}]);
		}
	});

	test("are not found by anything that only begins alike", () => {
		for (const path of [
			"documentXYZ",
			"document",
			"document:",
			"document:searc",
			"document:searchX",
			"document::search",
			"documentsearch",
		]) {
			expect([path, find("GET", `/v1/authority/${path}`)]).toEqual([path, "nothing"]);
		}
	});

	test("a suffix must be there: without :purge nothing is erased", () => {
		const purge = "POST /v1/authority/document/{document}:purge";
		expect(find("POST", "/v1/authority/document/101000011:purge")).toEqual([purge, { document: "101000011" }]);
		expect(find("POST", "/v1/authority/document/101000011%3Apurge")).toEqual([purge, { document: "101000011" }]);
		expect(find("POST", "/v1/authority/document/101000011")).toEqual(["GET"]);
		expect(find("POST", "/v1/authority/document/101000011:purgeX")).toEqual(["GET"]);
		expect(find("POST", "/v1/authority/document/101000011:PURGE")).toEqual(["GET"]);
		expect(find("POST", "/v1/authority/document/:purge")).toEqual(["GET"]);
	});
});

describe("parameters", () => {
	test("are percent-decoded, slashes included", () => {
		expect(find("GET", "/v1/things/a%2Fb%20c")).toEqual(["GET /v1/things/{id}", { id: "a/b c" }]);
		expect(find("GET", "/v1/things/%C3%91and%C3%BA")).toEqual(["GET /v1/things/{id}", { id: "Ñandú" }]);
	});

	test("are never empty, and several of one path keep their names", () => {
		expect(find("GET", "/v1/things/")).toBe("nothing");
		expect(find("GET", "/v1/things//parts/2")).toBe("nothing");
		expect(find("GET", "/v1/things/1/parts/2")).toEqual(["GET /v1/things/{id}/parts/{part}", { id: "1", part: "2" }]);
	});

	test("may have text before and after them in their segment", () => {
		expect(find("GET", "/files/v12.json")).toEqual(["GET /files/v{version}.json", { version: "12" }]);
		for (const path of ["/files/v.json", "/files/12.json", "/files/v12.xml"]) expect(find("GET", path)).toBe("nothing");
	});

	test("whatever a parameter holds, it comes back as it was", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (id) => {
				fc.pre(id.isWellFormed() && id !== "latest");
				expect(find("GET", `/v1/things/${encodeURIComponent(id)}`)).toEqual(["GET /v1/things/{id}", { id }]);
			}),
		);
	});
});

describe("paths", () => {
	test("a literal path wins over one with a parameter", () => {
		expect(find("GET", "/v1/things/latest")).toEqual(["GET /v1/things/latest", {}]);
		expect(find("DELETE", "/v1/things/latest")).toEqual(["DELETE /v1/things/{id}", { id: "latest" }]);
	});

	test("malformed percent-encoding is found nowhere", () => {
		for (const path of [
			"/v1/things/%",
			"/v1/things/%zz",
			"/v1/things/%C3",
			"/v1/things/%C0%80",
			"/v1/things/%ED%A0%80",
		]) {
			expect([path, find("GET", path)]).toEqual([path, "nothing"]);
		}
	});

	test("malformed percent-encoding reaches only a parameter that accepts it", () => {
		const id = { name: "id", in: "path", required: true, description: "", schema: Type.String() } as const;
		const taking = new OperationTable([
			makeOperation({ method: "GET", path: "/v1/taken/{id}", parameters: [{ ...id, takesUndecodable: true }] }),
		]);
		for (const text of ["%", "%zz", "%C3", "a%"]) {
			expect(taking.find("GET", `/v1/taken/${text}`)).toMatchObject({ found: "operation", params: { id: text } });
		}
		for (const path of ["/v1/take%/1", "/v1/%zz/1", "/v1/%zz"]) expect(taking.find("GET", path).found).toBe("nothing");
	});

	test("a trailing slash, a doubled one and other capitals are other paths", () => {
		for (const path of ["/v1/things/", "//v1/things", "/v1//things", "/V1/things", "/v1/Things", "/v1", "/", ""]) {
			expect([path, find("GET", path)]).toEqual([path, "nothing"]);
		}
	});

	test("a known path with another method names each allowed method once", () => {
		expect(find("PATCH", "/v1/things")).toEqual(["POST", "GET"]);
		expect(find("PUT", "/v1/things/latest")).toEqual(["GET", "DELETE"]);
		expect(find("get", "/v1/things")).toEqual(["POST", "GET"]);
		expect(find("constructor", "/v1/things")).toEqual(["POST", "GET"]);
	});

	test("two operations at one address are a defect that shows at once", () => {
		const twice = makeOperation({ method: "GET", path: "/v1/things" });
		expect(() => new OperationTable([twice, twice])).toThrow("two operations for GET /v1/things");
	});
});
