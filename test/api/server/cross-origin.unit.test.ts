import { expect, test } from "bun:test";
import { createCrossOrigin } from "../../../src/api/server/cross-origin";
import { makeOperation } from "../../platform/operation/support/call";

const ERP = "https://erp.example.do";
const THINGS = "https://api.example/v1/things";
const operations = [
	makeOperation({
		...{ id: "getThing", method: "GET", path: "/v1/things" },
		parameters: [{ name: "Prefer", in: "header", required: false, description: "Wait.", schema: {} as never }],
	}),
];

async function ask(origins: readonly string[], request: Request): Promise<Response> {
	const { fetch } = createCrossOrigin(origins, operations);
	return fetch(async ({ method }) =>
		method === "OPTIONS" ? new Response(null, { status: 405 }) : Response.json({}, { headers: { vary: "Accept" } }),
	)(request);
}
const get = (origin: string, url = THINGS) => new Request(url, { headers: { origin } });
const preflight = (origin: string, url = THINGS) =>
	new Request(url, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");

test("a listed site may call, and its preflight request names what may be sent", async () => {
	const answer = await ask([ERP], get(ERP));
	expect([answer.status, allowed(answer), answer.headers.get("vary")]).toEqual([200, ERP, "Accept, Origin"]);
	const before = await ask([ERP], preflight(ERP));
	expect([before.status, allowed(before)]).toEqual([204, ERP]);
	expect(before.headers.get("access-control-allow-methods")).toContain("POST");
	for (const name of ["x-api-key", "authorization", "content-type", "prefer"])
		expect(before.headers.get("access-control-allow-headers")).toContain(name);
	expect(before.headers.get("access-control-allow-credentials")).toBeNull();
});

test("with * every site may call; without a list none may", async () => {
	expect(allowed(await ask(["*"], get(ERP)))).toBe("*");
	expect((await ask(["*"], get(ERP))).headers.get("vary")).toBe("Accept");
	expect(allowed(await ask([], get(ERP)))).toBeNull();
	expect((await ask([], preflight(ERP))).status).toBe(405);
});

test("other sites, other paths and requests that are no preflight stay as they were", async () => {
	for (const origin of ["https://evil.example", "https://erp.example.do.evil", "http://erp.example.do", "null", ""]) {
		expect([origin, allowed(await ask([ERP], get(origin)))]).toEqual([origin, null]);
		expect([origin, (await ask([ERP], preflight(origin))).status]).toEqual([origin, 405]);
	}
	expect(allowed(await ask(["*"], get(ERP, "https://api.example/fe/recepcion")))).toBeNull();
	expect(allowed(await ask(["*"], get(ERP, "https://api.example/docs?next=/v1/things")))).toBeNull();
	expect((await ask(["*"], new Request(THINGS, { method: "OPTIONS", headers: { origin: ERP } }))).status).toBe(405);
});

test("requests of pages pass by the fast answers, whose headers are shared", async () => {
	const { routes } = createCrossOrigin([ERP], operations);
	const wrapped = routes(
		{
			"/v1/things": {
				GET: (_request: Request, _server: Bun.Server<undefined>) =>
					new Response("fast") as Response | Promise<Response>,
			},
		},
		() => new Response("slow"),
	);
	const server = {} as Bun.Server<undefined>;
	const handle = wrapped["/v1/things"]?.GET;
	if (!handle) throw new Error("the route is gone");
	expect(await (await handle(new Request(THINGS), server)).text()).toBe("fast");
	expect(await (await handle(get(ERP), server)).text()).toBe("slow");
});
