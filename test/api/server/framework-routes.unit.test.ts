import { describe, expect, test } from "bun:test";
import { frameworkRoutes } from "../../../src/api/server/app";

describe("routes that the framework is given", () => {
	test("replace parameters and verbs by positional names", () => {
		const routes = frameworkRoutes([
			{ method: "GET", path: "/v1/invoices/{docId}" },
			{ method: "POST", path: "/v1/authority/document/{document}:purge" },
		]);
		expect(routes).toEqual([
			["GET", "/v1/invoices/:p3"],
			["POST", "/v1/authority/document/:p4"],
		]);
	});

	test("are listed once", () => {
		const paths = ["/v1/invoices:batch", "/v1/invoices:status", "/v1/{anything}"];
		const routes = frameworkRoutes(paths.map((path) => ({ method: "POST", path })));
		expect(routes).toEqual([["POST", "/v1/:p2"]]);
	});

	test("match counterparties' paths in any letter case", () => {
		const routes = frameworkRoutes([{ method: "GET", path: "/fe/autenticacion/api/semilla" }]);
		expect(routes.map(([, path]) => path)).toEqual(["/fe/*", "/Fe/*", "/fE/*", "/FE/*"]);
	});
});
