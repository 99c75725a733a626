/** Answers of the public port while the service starts. */
import { afterAll, expect, test } from "bun:test";
import { ListenError, openPublicListener } from "../../../src/app/listeners/listeners";

const ALONE = { port: 0, host: "127.0.0.1", portSharing: "alone", isReplacing: false, baseUrl: undefined } as const;
const { url, stop } = openPublicListener(ALONE);
afterAll(() => stop("at-once"));

test("an operation is refused with a problem document and may be repeated", async () => {
	const answer = await fetch(`${url}/v1/invoices`, { method: "POST", body: "{}" });
	expect(answer.status).toBe(503);
	expect(answer.headers.get("retry-after")).toBe("1");
	expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
	expect(await answer.json()).toMatchObject({
		type: `${url}/errors/service-unavailable`,
		status: 503,
		instance: "/v1/invoices",
		requestId: answer.headers.get("x-request-id"),
	});
});

test("health reports that the service is starting", async () => {
	const answer = await fetch(`${url}/health`);
	expect([answer.status, await answer.json()]).toEqual([503, { status: "starting" }]);
});

/** Answers of sixteen connections: the kernel gives all of them to one process twice in a hundred thousand times. */
async function ask(base: string): Promise<Set<string>> {
	const texts = new Set<string>();
	for (let i = 0; i < 16; i++) {
		const answer = await fetch(base, { headers: { connection: "close" }, keepalive: false });
		texts.add(await answer.text());
	}
	return texts;
}

const says = (text: string) => ({ fetch: async () => new Response(text), routes: {} });

test("a child process takes its share of the port only when it serves", async () => {
	const first = openPublicListener({ ...ALONE, portSharing: "first" });
	first.serve(says("first"));
	const further = openPublicListener({ ...ALONE, port: first.port, portSharing: "beside" });
	expect(further.url).toBe(first.url);
	expect(await ask(first.url)).toEqual(new Set(["first"]));
	further.serve(says("further"));
	expect(await ask(first.url)).toEqual(new Set(["first", "further"]));
	await Promise.all([first.stop("at-once"), further.stop("at-once")]);
});

test("a shared port of another service is refused", async () => {
	const other = openPublicListener({ ...ALONE, portSharing: "first" });
	const take = () => openPublicListener({ ...ALONE, port: other.port, portSharing: "first" });
	expect(take).toThrow(new ListenError({ code: "EADDRINUSE" }, { ...ALONE, port: other.port, setting: "PORT" }));
	await other.stop("at-once");
	await take().stop("at-once");
});
