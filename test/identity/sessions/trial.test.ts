/** Trying the public sandbox: a company of one's own for a day, without an account. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { removeTrialUser } from "../../../src/identity/sessions";
import { buildInvoice, openServiceIn, sharedService, type Tenant } from "../../support/service";
import { until } from "../../support/until";
import { openBrowser } from "./support/browser";

type SignedIn = {
	readonly session: { readonly createdAt: string; readonly expiresAt: string };
	readonly me: {
		readonly user: { readonly email: string | null };
		readonly memberships: readonly { readonly tenantId: string; readonly role: string; readonly rnc: string }[];
	};
};

let service: Awaited<ReturnType<typeof openServiceIn>>;
beforeAll(async () => {
	service = await openServiceIn("public-sandbox");
}, 180_000);
afterAll(() => service.stop());

async function begin() {
	const browser = openBrowser(service);
	const answer = await browser.send("POST", "/v1/session", { body: { method: "try" } });
	expect(answer.status).toBe(201);
	const signedIn = (await answer.json()) as SignedIn;
	const [company, another] = signedIn.me.memberships;
	if (!company || another) throw new Error("a trial has one company");
	return { browser, signedIn, company };
}

test("it is offered there alone, and opens a company that issues at once", async () => {
	const { browser, signedIn, company } = await begin();
	expect([company.role, signedIn.me.user.email]).toEqual(["owner", null]);
	const { createdAt, expiresAt } = signedIn.session;
	const lasts = Date.parse(expiresAt) - Date.parse(createdAt);
	expect([lasts <= 86_400_000, lasts > 86_000_000]).toEqual([true, true]);
	const issued = await browser.send("POST", "/v1/invoices", {
		...{ company: company.tenantId, headers: { "idempotency-key": crypto.randomUUID() } },
		body: buildInvoice({ rnc: company.rnc, name: "EMPRESA DE PRUEBA SRL" } as Tenant, { encf: "auto" }),
	});
	expect(issued.status).toBe(202);
	expect((await browser.send("GET", "/v1/invoices", { company: company.tenantId })).status).toBe(200);
	const [row] = await service.sql`select plan, environment from companies where tenant_id = ${company.tenantId}`;
	expect(row).toMatchObject({ plan: "demo", environment: "public-sandbox" });
	const options = await browser.send("POST", "/v1/session/options", { body: { purpose: "sign-in" } });
	expect(((await options.json()) as { methods: string[] }).methods).toContain("try");
	const elsewhere = openBrowser(await sharedService());
	expect(await elsewhere.refusal("POST", "/v1/session", { body: { method: "try" } })).toBe("403 forbidden");
});

test("two people have two companies, and neither sees the other's", async () => {
	const [first, second] = [await begin(), await begin()];
	expect(first.company.rnc).not.toBe(second.company.rnc);
	const company = second.company.tenantId;
	expect(await first.browser.refusal("GET", "/v1/invoices", { company })).toBe("404 not-found");
	expect(await first.browser.refusal("GET", "/v1/invoices", { company: first.company.tenantId })).toBe("200");
});

test("an address makes five companies a day, whichever way", async () => {
	const browser = openBrowser(service);
	const send = () => browser.refusal("POST", "/v1/session", { body: { method: "try" } });
	for (let n = 0; n < 5; n++) expect(await send()).toBe("201");
	expect(await send()).toBe("429 rate-limit-exceeded");
});

test("the person goes with the company", async () => {
	const { browser, company } = await begin();
	await removeTrialUser(service.sql, company.tenantId);
	await until(async () => (await browser.refusal("GET", "/v1/me")) === "401 session-expired");
	const [row] =
		await service.sql`select count(*)::int as n from users where email like ${`trial-${company.tenantId}%`}`;
	expect(row?.n).toBe(0);
});
