import { expect, test } from "bun:test";
import { listSamples, toSampleCall } from "../../../src/api/openapi";
import { declaredOperations } from "../support/declared-operations";

const operations = declaredOperations();
const samplesOf = (id: string) => {
	const operation = operations.find((one) => one.id === id);
	if (!operation) throw new Error(`${id} is no operation`);
	return Object.fromEntries(listSamples(toSampleCall(operation)).map(({ tab, code }) => [tab, code]));
};

test("each operation has a sample in curl, and in each language that has a method", () => {
	for (const operation of operations) {
		const tabs: string[] = listSamples(toSampleCall(operation)).map(({ tab }) => tab);
		const expected = operation.sdk === null ? ["curl"] : ["curl", "typescript", "python", "php"];
		expect([operation.id, tabs]).toEqual([operation.id, expected]);
	}
});

test("a sample names the call in the words of its language", () => {
	const { curl, typescript, python, php } = samplesOf("searchDocuments");
	expect(curl).toContain('"{{base_url}}/v1/authority/document:search?q=ferreteria%20progreso&field=name"');
	expect(typescript).toContain('sello.registry.search({ q: "ferreteria progreso", field: "name" })');
	expect(python).toContain('sello.registry.search(q="ferreteria progreso", field="name")');
	expect(php).toContain("$sello->registry->search(q: 'ferreteria progreso', field: 'name')");
});

test("a sample asks for no credentials that the operation ignores", () => {
	expect(samplesOf("getDocument").curl).not.toContain("TOKEN");
	expect(samplesOf("listAuthorityCodes").typescript).not.toContain("clientSecret");
	expect(samplesOf("listInvoices").python).toContain("client_secret=");
});

test("a sample that issues works more than once, for the reader's own company", () => {
	const { curl, python } = samplesOf("postInvoice");
	expect(curl).toContain('"encf": "auto"');
	expect(curl).toContain('"rnc": "{{company_rnc}}"');
	expect(python).toContain("}, wait=10)");
});

test("files are saved, and Python's own words are not used as names", () => {
	expect(samplesOf("getInvoicePdf").curl).toContain("-o document.pdf");
	expect(samplesOf("getInvoicePdf").php).toContain("->save('document.pdf')");
	expect(samplesOf("getArchiveConsistencyProof").python).toContain("from_=48000");
});
