import { expect, test } from "bun:test";
import { checkAccept } from "../../../src/api/server/admit-request";
import { Problem } from "../../../src/platform/problem";
import { makeOperation } from "../../platform/operation/support/call";

const operation = makeOperation({
	method: "GET",
	path: "/v1/invoices/{docId}/xml",
	answers: { 200: { description: "The document.", mediaType: "application/xml" } },
});

function accepts(accept: string | undefined): boolean {
	try {
		checkAccept(new Request("http://sello.test/", { headers: accept === undefined ? {} : { accept } }), operation);
		return true;
	} catch (error) {
		if (!(error instanceof Problem) || error.slug !== "not-acceptable") throw error;
		expect(String(error.detail)).toBe("Offered: application/json, application/problem+json, application/xml.");
		return false;
	}
}

test("no preference, any type, and every type that is offered are accepted", () => {
	for (const accept of [
		...[undefined, "", " ", "*/*", "application/*", "application/json", "application/problem+json", "application/xml"],
		...["Application/JSON", "application/json; charset=utf-8", "application/json;q=0.1", "text/html, */*;q=0.1"],
		...[
			"text/html,application/xhtml+xml,application/xml;q=0.9",
			"image/png , application/json",
			"text/html;q=1, application/*;q=0.5",
		],
	]) {
		expect([accept, accepts(accept)]).toEqual([accept, true]);
	}
});

test("types that are not offered or have weight zero are not acceptable", () => {
	for (const accept of [
		...["text/html", "text/*", "image/png, text/plain", "application", "app/*", "applicationx/*", "json"],
		...["application/json;q=0", "application/json; q=0.000", "*/*;q=0", "text/html, */*; q=0.0", "application/*;q=0"],
	]) {
		expect([accept, accepts(accept)]).toEqual([accept, false]);
	}
});
