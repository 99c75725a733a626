/** Where a company's portal may be embedded. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";
import { instant, tenantB, uuid } from "../support/tenants";

type Settings = { readonly portalId: string | null; readonly origins: readonly string[]; readonly updatedAt: string };

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, 120_000);

const put = (body: unknown) =>
	fetch(`${service.url}/v1/portal-settings`, {
		...{ method: "PUT", body: JSON.stringify(body) },
		headers: { ...tenant.headers, "content-type": "application/json" },
	});
const read = async (headers: Record<string, string>) =>
	(await (await get(service, "/v1/portal-settings", headers)).json()) as Settings;

test("a company has none at first, and keeps its portal's id through changes", async () => {
	expect(await read(tenant.headers)).toEqual({ portalId: null, origins: [], updatedAt: null as never });
	const first = (await (
		await put({ origins: ["https://erp.example.do", "https://erp.example.do:8443"] })
	).json()) as Settings;
	expect(first).toMatchObject({ portalId: expect.stringMatching(uuid), updatedAt: expect.stringMatching(instant) });
	const second = (await (await put({ origins: [] })).json()) as Settings;
	expect([second.portalId, second.origins]).toEqual([first.portalId, []]);
	expect(await read(tenant.headers)).toEqual(second);
	expect((await read((await tenantB()).headers)).portalId).toBeNull();
});

test("the page names the sites of its settings, and an unknown portal has no page", async () => {
	const { portalId } = (await (await put({ origins: ["https://erp.example.do"] })).json()) as Settings;
	const policyOf = async (id: string | null) =>
		(await fetch(`${service.url}/portal/${id}/x`)).headers.get("content-security-policy");
	// Until it is built, a page that no site may embed says so.
	await until(async () => (await policyOf(portalId))?.includes("frame-ancestors https://erp.example.do;") === true);
	await expectProblem(get(service, "/portal/01920000-0000-7000-8000-000000000000"), 404, "not-found");
	await expectProblem(get(service, "/portal/x"), 404, "not-found");
	await expectProblem(get(service, "/portal"), 404, "not-found");
});

test("all malformed origins are reported at once, also one that ends a header's list", async () => {
	const bad = [
		...[
			"http://erp.example.do",
			"https://erp.example.do/",
			"https://erp.example.do/a",
			"https://*.do",
			"https://a.do;script-src *",
		],
		...["'self'", "*", "https://A.do", "https://a.do, https://b.do", "data:"],
	];
	const { errors } = await expectProblem(put({ origins: bad }), 400, "validation-error");
	expect(errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(
		bad.map((_, at) => `/origins/${at} invalid-origin`),
	);
	const many = Array.from({ length: 11 }, (_, at) => `https://a${at}.do`);
	await expectProblem(put({ origins: many }), 400, "validation-error");
	await expectProblem(put({}), 400, "validation-error");
});
