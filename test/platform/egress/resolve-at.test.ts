import { afterEach, expect, test } from "bun:test";
import { postOnce, resolveAt } from "../../../src/platform/egress";
import { type DnsQuestion, type DnsStub, startDnsStub } from "../../support/dns-stub";
import { type Listener, listen } from "../../support/listen";

const NAME = "hooks.example.com";

let stub: DnsStub | undefined;
let canary: Listener | undefined;
afterEach(async () => {
	stub?.stop();
	await canary?.close();
	stub = canary = undefined;
});

async function ask(answer: (question: DnsQuestion) => readonly string[]) {
	stub = await startDnsStub(answer);
	return resolveAt(stub.server);
}

test("the named server is queried for both families, and all answers count", async () => {
	const resolve = await ask(() => ["203.0.113.5", "127.0.0.1", "2001:db8::7"]);
	expect([...(await resolve(NAME))].sort()).toEqual(["127.0.0.1", "2001:db8::7", "203.0.113.5"]);
});

test("a host with addresses of one family has those", async () => {
	const resolve = await ask(() => ["2001:db8::7"]);
	expect(await resolve(NAME)).toEqual(["2001:db8::7"]);
});

test("a host without an address is an error", async () => {
	const resolve = await ask(() => []);
	expect(resolve(NAME)).rejects.toThrow("knows no address of hooks.example.com");
});

test("a second question is asked anew", async () => {
	const resolve = await ask(({ nth }) => [`203.0.113.${nth}`]);
	expect([await resolve(NAME), await resolve(NAME)]).toEqual([["203.0.113.1"], ["203.0.113.2"]]);
});

test("a request asks once and never dials what a second asking would have said", async () => {
	let connections = 0;
	canary = await listen((socket) => {
		connections++;
		socket.destroy();
	});
	// 2d00::/8 is unassigned: public by its number, and unreachable.
	const resolve = await ask(({ nth }) => (nth === 1 ? ["2d00::1"] : ["127.0.0.1"]));
	const policy = { environment: "sandbox", allow: new Set<string>() } as const;
	const post = () =>
		postOnce({
			...{ url: `http://${NAME}:${canary?.port}/`, headers: {}, body: Buffer.from("{}"), policy, resolve },
			...{ connectTimeoutMs: 2_000, totalTimeoutMs: 2_000 },
		});
	const first = await post();
	expect(first.ok).toBe(false);
	expect(first.error).not.toBe("blocked-address");
	expect(stub?.questions.filter(({ family }) => family === 4)).toHaveLength(1);
	expect(await post()).toMatchObject({ error: "blocked-address" });
	expect(connections).toBe(0);
});
