/** What the scenario cannot show of the TypeScript library: calls at the same time, aborted ones, dates, large files, the environment. */
import { expect, test } from "bun:test";
import { RateLimitError, Sello, SelloError } from "../../src/sdk/typescript";

type Seen = { readonly path: string; readonly init: RequestInit };

/** A client whose service is a function. */
function createClient(
	answer: (path: string, n: number, init: RequestInit) => Response | Promise<Response>,
	over: object = {},
) {
	const seen: Seen[] = [];
	const waits: number[] = [];
	const sello = new Sello({
		...{ baseUrl: "https://sello.test/base/", apiKey: "k", clientId: "c", clientSecret: "s" },
		fetch: async (url, init) => {
			const path = url.replace("https://sello.test/base", "");
			seen.push({ path, init });
			if (path === "/v1/auth/token") return Response.json({ access_token: `t${seen.length}`, expires_in: 3600 });
			return answer(path, seen.length, init);
		},
		clock: { now: () => Date.parse("2026-11-27T12:00:00Z"), sleep: async (ms) => void waits.push(ms) },
		...over,
	});
	return { sello, seen, waits };
}

test("calls at the same time share one request for a token", async () => {
	const { sello, seen } = createClient(() => Response.json({}));
	await Promise.all(Array.from({ length: 5 }, (_, i) => sello.invoices.get(`d${i}`)));
	expect(seen.filter(({ path }) => path === "/v1/auth/token").length).toBe(1);
	expect(seen.length).toBe(6);
});

test("calls that a worn-out token refuses at the same time get one new token", async () => {
	const refused = () =>
		Response.json(
			{ type: "/errors/unauthorised" },
			{ status: 401, headers: { "content-type": "application/problem+json" } },
		);
	const { sello, seen } = createClient((_, __, init) =>
		new Headers(init.headers).get("authorization") === "Bearer t1" ? refused() : Response.json({}),
	);
	await Promise.all(Array.from({ length: 5 }, (_, i) => sello.invoices.get(`d${i}`)));
	expect(seen.filter(({ path }) => path === "/v1/auth/token").length).toBe(2);
});

test("an aborted call ends with its reason, also between two attempts", async () => {
	const controller = new AbortController();
	const reason = new Error("the user left");
	const { sello, seen } = createClient(() => {
		controller.abort(reason);
		return new Response("", { status: 503 });
	});
	await expect(sello.invoices.get("d", { signal: controller.signal })).rejects.toBe(reason);
	expect(seen.length).toBe(2);
});

test("Retry-After may be a date", async () => {
	const headers = { "retry-after": "Fri, 27 Nov 2026 12:00:07 GMT" };
	const { sello, waits } = createClient((_, n) =>
		n === 2 ? new Response("", { status: 503, headers }) : Response.json({}),
	);
	await sello.invoices.get("d");
	expect(waits[0]).toBeWithin(7000, 7251);
	const late = { "retry-after": "Fri, 27 Nov 2026 13:00:00 GMT" };
	const limited = createClient(() => new Response("", { status: 429, headers: late }));
	const error = await limited.sello.invoices.get("d").catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(RateLimitError);
	expect(error).toMatchObject({ retryAfter: 3600, slug: "", requestId: undefined });
});

test("an argument that would name another address is refused", async () => {
	const { sello, seen } = createClient(() => Response.json({}));
	for (const id of ["..", ".", ""]) await expect(sello.invoices.get(id)).rejects.toThrow("no address can hold");
	await expect(sello.invoices.get(undefined as unknown as string)).rejects.toThrow(SelloError);
	expect(seen).toEqual([]);
	await sello.invoices.get("../../company?x#y");
	expect(seen.at(-1)?.path).toBe("/v1/invoices/..%2F..%2Fcompany%3Fx%23y");
});

test("a large file is passed on as it arrives and a small one can be read twice", async () => {
	const large = { "content-type": "application/zstd", "content-length": String(9 * 1024 * 1024) };
	const { sello } = createClient((path) =>
		path.includes("downloads") ? new Response("large", { headers: large }) : new Response("<ECF/>"),
	);
	const file = await sello.registry.download("all.zst");
	expect(await new Response(file.stream()).text()).toBe("large");
	await expect(file.text()).rejects.toThrow();
	const small = await sello.invoices.xml("d");
	expect([await small.text(), await small.text()]).toEqual(["<ECF/>", "<ECF/>"]);
});

test("credentials and address come from the environment unless they are given", async () => {
	const set = {
		SELLO_URL: "https://env.test",
		SELLO_API_KEY: "of-env",
		SELLO_CLIENT_ID: "id",
		SELLO_CLIENT_SECRET: "secret",
	};
	const program = `const { Sello } = await import(${JSON.stringify(`${import.meta.dir}/../../src/sdk/typescript/index.ts`)});
		const fetch = async (url, init) => { console.log(url, init.headers["x-api-key"]); return Response.json({ access_token: "t", expires_in: 1 }); };
		await new Sello({ fetch }).registry.lookup("1");
		await new Sello({ fetch, apiKey: "given", baseUrl: "https://given.test" }).registry.lookup("1");
		await new Sello({ fetch, accessToken: "a" }).invoices.get("1");`;
	const run = Bun.spawn([process.execPath, "-e", program], {
		env: { PATH: process.env.PATH ?? "", ...set },
		stdout: "pipe",
	});
	expect((await new Response(run.stdout).text()).trim().split("\n")).toEqual([
		"https://env.test/v1/authority/document/1 of-env",
		"https://given.test/v1/authority/document/1 given",
		"https://env.test/v1/invoices/1 of-env",
	]);
	expect(() => new Sello({ apiKey: "k" })).toThrow("SELLO_URL");
});

test("a list asks nothing before it is awaited, and once however often it is", async () => {
	const { sello, seen } = createClient(() => Response.json({ items: [{ encf: "E1" }], next: null, partial: false }));
	const list = sello.invoices.list({ limit: 1 });
	expect(seen).toEqual([]);
	await list;
	expect((await list).items).toEqual([{ encf: "E1" }] as never);
	const found: unknown[] = [];
	for await (const one of list) found.push(one);
	expect(found.length).toBe(1);
	expect(seen.map(({ path }) => path)).toEqual(["/v1/auth/token", "/v1/invoices?limit=1"]);
});

test("an operation that the library does not know is called under the same rules", async () => {
	const { sello, seen } = createClient((_, n) =>
		n === 2 ? new Response("", { status: 503 }) : Response.json({ ok: true }),
	);
	const options = { query: { q: "ñ" }, body: { a: 1 }, idempotencyKey: "9b2f7a4e-0000-4000-8000-000000000000" };
	expect(await sello.request("POST", "/v1/new", options)).toEqual({ ok: true });
	expect(seen.slice(1).map(({ path, init }) => [path, init.body])).toEqual(
		Array(2).fill(["/v1/new?q=%C3%B1", '{"a":1}']),
	);
	const unkeyed = createClient(() => new Response("", { status: 503 }));
	await expect(unkeyed.sello.request("POST", "/v1/new")).rejects.toMatchObject({ status: 503 });
	expect(unkeyed.seen.length).toBe(2);
});
