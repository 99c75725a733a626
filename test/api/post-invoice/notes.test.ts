/** What an answer says of rules of the authority: warnings, refusals of what is certain to be rejected, and doubtful documents. */
import { beforeAll, describe, expect, test } from "bun:test";
import { toLocalIsoDate } from "../../../src/platform/values";
import {
	buildInvoice,
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { expectProblem } from "../support/problem";
import { strictTenant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Over = Record<string, unknown>;
type Warning = {
	readonly code: string;
	readonly authorityCode?: string;
	readonly detailEs?: string;
	readonly expected?: string;
	readonly registryName?: string;
};

/** Recent, since a note on an older document does not return its ITBIS. */
const DAY = toLocalIsoDate(new Date(Date.now() - 86_400_000));
const DAY_BEFORE = toLocalIsoDate(new Date(Date.now() - 2 * 86_400_000));

async function issue(over: Over): Promise<{ encf: string; warnings: Warning[] }> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
	const text = await answer.text();
	expect({ status: answer.status, text }).toEqual({ status: 202, text });
	return JSON.parse(text);
}

/** A credit note of the whole of a document of its own, issued just before, unless changed. */
async function issueNote(over: Over = {}, reference: Over = {}): Promise<string[]> {
	const { encf } = await issue({ issue_date: DAY });
	const { warnings } = await issue({
		type: "34",
		reference: { encf, issue_date: DAY, code: 1, ...reference },
		...over,
	});
	return warnings.map(({ code, authorityCode }) => `${code} ${authorityCode ?? ""}`.trim());
}

describe("a note on a document that was issued here", () => {
	test("that fits it gives no warning", async () => {
		expect(await issueNote()).toEqual([]);
	});

	test("with another date is warned of in the authority's own number", async () => {
		expect(await issueNote({}, { issue_date: DAY_BEFORE })).toEqual(["reference-date 634"]);
	});

	test("for another buyer is warned of", async () => {
		const customer = { rnc: "990000007", name: "OTRO SRL" };
		expect(await issueNote({ customer })).toEqual(["reference-buyer 615"]);
		const buyer = { foreign_id: "PA-1", name: "JANE DOE" };
		const { encf } = await issue({ type: "32", issue_date: DAY, customer: buyer });
		const note = { type: "34", reference: { encf, issue_date: DAY, code: 3 } };
		const { warnings } = await issue({ ...note, customer: { ...buyer, foreign_id: "PA-2" } });
		expect(warnings).toMatchObject([{ code: "reference-buyer", pointer: "/customer/foreign_id", expected: "PA-1" }]);
	});

	test("after which nothing is left is warned of, but not when it is sent once more", async () => {
		const { encf } = await issue({ issue_date: DAY });
		const reference = { encf, issue_date: DAY, code: 3 };
		const first = buildInvoice(tenant, { type: "34", reference, client_request_id: `note-${encf}` });
		expect((await (await postInvoice(service, tenant, first)).json()) as object).toMatchObject({ warnings: [] });
		const again = await postInvoice(service, tenant, first);
		expect(again.status).toBe(200);
		expect((await again.json()) as object).toMatchObject({ warnings: [] });

		const { warnings } = await issue({ type: "34", reference });
		expect(warnings).toMatchObject([{ code: "reference-balance", authorityCode: "615", verdict: "rejected" }]);
		expect(warnings[0]?.detailEs).toContain("0.00");
	});

	test("of another taxpayer is not compared with one of the same number here", async () => {
		expect(await issueNote({}, { issue_date: DAY_BEFORE, customer_rnc: "990000009" })).toEqual([]);
	});

	test("is compared with it even if the original's issuer is named wrongly", async () => {
		const other = { issue_date: DAY_BEFORE };
		for (const customer_rnc of ["131880681", tenant.rnc]) {
			expect(await issueNote({}, { ...other, customer_rnc })).toEqual(["not-in-format", "reference-date 634"]);
		}
	});
});

test("a rule of the authority is a warning, or a violation in strict mode", async () => {
	const over = { type: "33", reference: { encf: "E319999999977", issue_date: DAY, code: 4 } };
	expect((await issue(over)).warnings).toMatchObject([
		{ code: "reference-replaces-electronic", authorityCode: "613", verdict: "rejected" },
	]);
	const strict = await strictTenant();
	const problem = await expectProblem(
		postInvoice(service, strict, buildInvoice(strict, over)),
		400,
		"validation-error",
		["/reference/code reference-replaces-electronic"],
	);
	expect(problem.errors).toMatchObject([
		{ authorityCode: "613", detailEs: "Los comprobantes electrónicos no pueden reemplazarse entre sí." },
	]);
});

const TODAY = toLocalIsoDate(new Date());
const small = {
	lines: [
		{ line_number: 1, description: "ARTICULO 1", quantity: "1", unit_price: "5.00", subtotal: "5.00", tax_rate: "18" },
	],
	totals: { subtotal: "5.00", tax: "0.90", grand_total: "5.90" },
};

describe("a document that is certain to be rejected", () => {
	/** Refuses it, as by default in production. */
	let refusing: Tenant;
	/** Accepted documents of that company: an invoice, a debit note on it, and an invoice that a note has cancelled. */
	let own: { invoice: string; debit: string; annulled: string };
	beforeAll(async () => {
		refusing = await createTenant(service, { company: { settings: { knownRejections: "refuse" } } });
		const accepted = async (over: Over) => {
			const body = buildInvoice(refusing, { ...small, ...over });
			const answer = await postInvoice(service, refusing, body, { prefer: "wait=20" });
			expect(await answer.json()).toMatchObject({ status: "accepted", warnings: [] });
			return String(body.encf);
		};
		const [invoice, annulled] = [await accepted({}), await accepted({})];
		const on = (encf: string, code: number) => ({ reference: { encf, issue_date: TODAY, code } });
		const debit = await accepted({ type: "33", ...on(invoice, 3) });
		await accepted({ type: "34", ...on(annulled, 1) });
		own = { invoice, debit, annulled };
	});
	const bodyOf = (type: string, reference: Over | undefined, encf?: string) =>
		buildInvoice(refusing, { ...small, type, ...(reference ? { reference } : {}), ...(encf ? { encf } : {}) });

	test.each<[string, string, () => Over | undefined, string | undefined, Over]>([
		["reference-missing", "34", () => undefined, "64", {}],
		["reference-debit-cancels", "33", () => ({ encf: own.invoice, issue_date: TODAY, code: 1 }), "64", {}],
		["reference-to-note", "34", () => ({ encf: own.debit, issue_date: TODAY, code: 3 }), undefined, {}],
		["reference-annulled", "33", () => ({ encf: own.annulled, issue_date: TODAY, code: 3 }), undefined, {}],
		["reference-date", "34", () => ({ encf: own.invoice, issue_date: DAY, code: 3 }), "634", { expected: TODAY }],
	])("is refused by its code, and sent on request: %s", async (code, type, reference, authorityCode, more) => {
		const body = bodyOf(type, reference());
		const problem = await expectProblem(postInvoice(service, refusing, body), 422, "known-rejection");
		const fault = problem.errors?.find((one) => one.code === code);
		expect(fault).toEqual({
			...{ code, pointer: expect.any(String), detail: expect.any(String), detailEs: expect.any(String) },
			...(authorityCode === undefined ? {} : { authorityCode }),
			...more,
		});
		const rehearsal = post(service, "/v1/invoices?dry_run=true", { ...refusing.headers }, body);
		await expectProblem(rehearsal, 422, "known-rejection");
		const prefer = "handling=lenient, wait=20";
		const sent = await postInvoice(service, refusing, body, { prefer });
		expect([sent.status, sent.headers.get("preference-applied")]).toEqual([422, prefer]);
		const { authority, reissue } = (await sent.json()) as { authority: Over; reissue: Over };
		expect(authority.code).toBe(authorityCode ?? "2");
		expect(reissue.encf).toBe(authorityCode === "64" ? "same" : "new");
	});

	test("takes no number and stores nothing", async () => {
		const numbered = await createTenant(service, {
			company: { settings: { knownRejections: "refuse", sequenceMode: "service" } },
		});
		const note = () => buildInvoice(numbered, { type: "34", encf: "auto" });
		await expectProblem(postInvoice(service, numbered, note()), 422, "known-rejection");
		const sent = await postInvoice(service, numbered, note(), { prefer: "handling=lenient" });
		expect(await sent.json()).toMatchObject({ encf: "E340000000001", warnings: [{ code: "reference-missing" }] });
	});

	test("keeps the first answer for a repeat of what was issued", async () => {
		const original = buildInvoice(refusing, small);
		expect((await postInvoice(service, refusing, original)).status).toBe(202);
		const reference = { encf: original.encf, issue_date: TODAY, code: 1 };
		const note = { ...bodyOf("34", reference), client_request_id: `repeat-${original.encf}` };
		expect((await postInvoice(service, refusing, note)).status).toBe(202);
		const again = await postInvoice(service, refusing, note);
		expect(again.status).toBe(200);
	});

	test("is a violation in strict handling, whatever the company's settings", async () => {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, { type: "34" }), {
			prefer: "handling=strict",
		});
		expect(answer.headers.get("preference-applied")).toBe("handling=strict");
		await expectProblem(Promise.resolve(answer), 400, "validation-error", ["/reference reference-missing"]);
	});
});

describe("the patch of a rejection, applied to the request that was sent,", () => {
	type Patch = { readonly op: string; readonly path: string; readonly value: unknown };
	/** RFC 6902, `replace` only. Throws if the path does not exist. */
	function apply(body: Over, patch: readonly Patch[]): Over {
		const copy = structuredClone(body);
		for (const { op, path, value } of patch) {
			const names = path.slice(1).split("/");
			const last = names.pop() ?? "";
			const parent = names.reduce<Over>((inside, name) => inside[name] as Over, copy);
			expect([op, Object.hasOwn(parent, last)]).toEqual(["replace", true]);
			parent[last] = value;
		}
		return copy;
	}

	test("makes it pass: reference-date", async () => {
		const original = buildInvoice(tenant, small);
		const wait = { prefer: "wait=20" };
		await postInvoice(service, tenant, original, wait);
		const reference = { encf: original.encf, issue_date: DAY, code: 3 };
		const note = buildInvoice(tenant, { ...small, type: "34", reference });
		const refused = await expectProblem(postInvoice(service, tenant, note, wait), 422, "authority-rejected");
		const read = await get(service, `/v1/invoices/${refused.docId}/status`, tenant.headers);
		const { status, fix } = (await read.json()) as { status: string; fix: Patch[] };
		expect([status, fix]).toEqual(["rejected", refused.fix as Patch[]]);
		const { encf } = buildInvoice(tenant, { type: "34" });
		const answer = await postInvoice(service, tenant, { ...apply(note, fix), encf }, wait);
		expect((await answer.json()) as object).toMatchObject({ status: "accepted", warnings: [] });
	});
});

describe("a document that the authority accepts and that looks wrong is warned of:", () => {
	const paid = (terms: string, ...amounts: string[]) => ({
		...small,
		payment: { terms, forms: amounts.map((amount) => ({ method: 1, amount })) },
		...(terms === "credit" ? { due_date: TODAY } : {}),
	});
	const old = toLocalIsoDate(new Date(Date.now() - 40 * 86_400_000));

	test.each<[string, Over, Over]>([
		[
			"customer-name-differs",
			{ customer: { rnc: "131880681", name: "NOMBRE DE OTRA EMPRESA SA" } },
			{ pointer: "/customer/name", registryName: "FERRETERIA EL PROGRESO SRL" },
		],
		["payment-forms-differ", paid("cash", "3.00", "2.00"), { pointer: "/payment/forms", expected: "5.90" }],
		["payment-forms-differ", paid("credit", "5.91"), { pointer: "/payment/forms", expected: "5.90" }],
		["free-fiscal-credit", { payment: { terms: "free" } }, { pointer: "/payment/terms" }],
		[
			"reference-unknown-here",
			{ type: "34", reference: { encf: "E319999999999", issue_date: TODAY, code: 3 } },
			{ pointer: "/reference/encf" },
		],
		[
			"itbis-not-returned",
			{ type: "34", reference: { encf: "B0100000001", issue_date: old, code: 3 } },
			{ pointer: "/totals/tax" },
		],
	])("%s", async (code, over, members) => {
		const { warnings } = await issue(over);
		expect(warnings).toEqual([
			{ code, detail: expect.any(String), detailEs: expect.any(String), ...members } as unknown as Warning,
		]);
		const strict = await strictTenant();
		const body = buildInvoice(strict, over);
		await expectProblem(postInvoice(service, strict, body), 400, "validation-error", [`${members.pointer} ${code}`]);
	});

	test("customer-is-issuer", async () => {
		const customer = { rnc: tenant.rnc, name: tenant.name };
		expect((await issue({ customer })).warnings.map(({ code }) => code)).toEqual(["customer-is-issuer"]);
	});

	test.each<[string, Over]>([
		["the same words in another order", { customer: { rnc: "131880681", name: "El Progreso Ferretería, S.R.L." } }],
		["a trade name", { customer: { rnc: "131880681", name: "EL PROGRESO" } }],
		["another name where no fiscal credit is given", { type: "32", customer: { rnc: "131880681", name: "OTRO" } }],
		["forms that add up", paid("cash", "3.00", "2.90")],
		["a credit sale paid in part", paid("credit", "5.00")],
		["a seller in no registry", { type: "41", customer: { rnc: "00100000009", name: "JUANA PEREZ" } }],
		["a person who buys as a consumer", { type: "32", customer: { rnc: "00100000009", name: "JUANA PEREZ" } }],
	])("not %s", async (_, over) => {
		expect((await issue({ ...over })).warnings).toEqual([]);
	});
});
