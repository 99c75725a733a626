/** The caller's address behind proxies: as a function, then over real HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import fc from "fast-check";
import { trustProxies } from "../../../src/api/server";
import { SAMPLE } from "../../registry/build";
import { type RegistryService, startRegistryService } from "../../support/registry-service";

const read = trustProxies(["10.0.0.0/8", "192.0.2.7", "2001:db8:1::/48"]);

describe("the caller's address", () => {
	const PEER = "10.0.0.2";
	test.each([
		["a proxy's word is believed", PEER, "203.0.113.9", "203.0.113.9"],
		["no header is the peer's", PEER, null, PEER],
		["an empty header is the peer's", PEER, " ", PEER],
		["a header from a stranger is ignored", "198.51.100.1", "203.0.113.9", "198.51.100.1"],
		["a stranger next to a trusted range is one too", "192.0.2.8", "203.0.113.9", "192.0.2.8"],
		["a peer that cannot be read is no proxy", "", "203.0.113.9", ""],
		["trusted hops are passed over, from the right", PEER, "203.0.113.9, 192.0.2.7,10.9.9.9", "203.0.113.9"],
		["what the caller wrote itself is not believed", PEER, "127.0.0.1, 203.0.113.9", "203.0.113.9"],
		["a claim to be a proxy is not either", PEER, "192.0.2.50, 203.0.113.9, 10.1.1.1", "203.0.113.9"],
		["nor a trusted address in a claim", PEER, "10.0.0.9, 203.0.113.9", "203.0.113.9"],
		["garbage in the claim does no harm", PEER, "<script>,, 1.2.3.4.5, 203.0.113.9", "203.0.113.9"],
		["garbage that a proxy wrote leaves the peer's", PEER, "203.0.113.9, unknown", PEER],
		["so does a gap", PEER, "203.0.113.9,, 10.1.1.1", PEER],
		["trusted hops alone leave the peer's", PEER, "10.1.1.1, 192.0.2.7", PEER],
		["a port is no part of it", PEER, "203.0.113.9:51234", "203.0.113.9"],
		["IPv6", "2001:db8:1::5", "2001:db8:2::9", "2001:db8:2::9"],
		["IPv6 in brackets", PEER, "[2001:db8:2::9]", "2001:db8:2::9"],
		["IPv6 in brackets with a port", PEER, "[2001:db8:2::9]:443", "2001:db8:2::9"],
		["IPv6 hops are passed over", PEER, "2001:db8:2::9, [2001:DB8:1::1]:80", "2001:db8:2::9"],
		["a zone is no address", PEER, "fe80::1%eth0", PEER],
		["IPv4 in brackets is none", PEER, "[203.0.113.9]", PEER],
		["a leading zero is none", PEER, "203.0.113.09", PEER],
		["a mapped peer is its IPv4 address", "::ffff:10.0.0.2", "203.0.113.9", "203.0.113.9"],
		["a mapped hop too", PEER, "203.0.113.9, ::ffff:192.0.2.7", "203.0.113.9"],
		["and a mapped caller, however written", PEER, "::FFFF:cb00:7109", "203.0.113.9"],
		["an address that only looks mapped is itself", PEER, "::fffe:cb00:7109", "::fffe:cb00:7109"],
	])("%s", (_, peer, header, expected) => {
		expect(read(peer, () => header)).toBe(expected);
	});

	test("is found behind thousands of hops and before thousands of claims", () => {
		const many = (hop: string) => new Array<string>(2_000).fill(hop);
		const header = [...many("192.0.2.66"), "203.0.113.9", ...many("10.3.3.3")].join(", ");
		expect(read(PEER, () => header)).toBe("203.0.113.9");
	});

	test("ignores everything before the first untrusted address", () => {
		fc.assert(
			fc.property(fc.string(), (claim) => {
				expect(read(PEER, () => `${claim},203.0.113.9, 10.1.1.1`)).toBe("203.0.113.9");
			}),
		);
	});

	test("is the peer's, and no header is looked at, where no proxy is trusted", () => {
		const untouched = () => {
			throw new Error("the header was asked for");
		};
		expect(trustProxies([])("10.0.0.2", untouched)).toBe("10.0.0.2");
	});
});

describe("behind a proxy at 127.0.0.1", () => {
	let service: RegistryService;
	let key: string;
	let demoKey: string;
	beforeAll(async () => {
		service = await startRegistryService(SAMPLE, { TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" });
		key = await service.createKey(["registry:read"]);
		await service.sql`update api_keys set ip_allow_list = '{203.0.113.0/24}' where label = 'registry'`;
		demoKey = await service.createKey(["registry:read"], "demo");
	}, 120_000);
	afterAll(() => service?.stop(), 60_000);

	/** `from`: the address of the caller's own socket. */
	const lookUp = (apiKey: string, from: string, forwardedFor: readonly string[]) =>
		new Promise<{ status: number; ratelimit: string }>((resolve, reject) => {
			// A kept connection would have the address of its first caller.
			const headers = { "x-api-key": apiKey, "x-forwarded-for": [...forwardedFor], connection: "close" };
			const url = `${service.url}/v1/authority/document/131880681`;
			request(url, { localAddress: from, agent: false, headers }, (answer) => {
				answer.resume();
				answer.on("end", () =>
					resolve({ status: answer.statusCode ?? 0, ratelimit: String(answer.headers.ratelimit) }),
				);
			})
				.on("error", reject)
				.end();
		});

	test("a key with an allow-list knows its callers by what the proxy says", async () => {
		expect((await lookUp(key, "127.0.0.1", ["203.0.113.9"])).status).toBe(200);
		expect((await lookUp(key, "127.0.0.1", ["192.0.2.1", "203.0.113.9, 10.0.0.4"])).status).toBe(200);
		expect((await lookUp(key, "127.0.0.1", ["203.0.113.9, 198.51.100.1"])).status).toBe(401);
		expect((await lookUp(key, "127.0.0.1", [])).status).toBe(401);
	});

	test("an untrusted peer is not believed", async () => {
		expect((await lookUp(key, "127.0.0.2", ["203.0.113.9"])).status).toBe(401);
		expect((await lookUp(key, "127.0.0.2", ["203.0.113.9, 127.0.0.1"])).status).toBe(401);
	});

	test("callers of the demo plan are counted each by its own address", async () => {
		const left = async (from: string, forwardedFor: string) => {
			const { ratelimit } = await lookUp(demoKey, from, [forwardedFor]);
			return Number(/;r=(\d+)/.exec(ratelimit)?.[1]);
		};
		const many = Array.from({ length: 20 }, (_, n) => n);
		const first = await left("127.0.0.1", "203.0.113.20");
		expect(await Promise.all(many.map((n) => left("127.0.0.1", `203.0.113.${100 + n}`)))).toEqual(
			many.map(() => first),
		);
		expect(Math.min(...(await Promise.all(many.map(() => left("127.0.0.1", "203.0.113.20")))))).toBeLessThan(first);
		// A forged address does not reset the limit.
		const strange = await Promise.all(many.map((n) => left("127.0.0.2", `203.0.113.${150 + n}`)));
		expect(Math.min(...strange)).toBeLessThan(first);
	});

	test("callers without a key who ask for tokens are too", async () => {
		const left = async (forwardedFor: string) => {
			const answer = await fetch(`${service.url}/v1/auth/token`, {
				method: "POST",
				headers: { "content-type": "application/json", "x-forwarded-for": forwardedFor },
				body: JSON.stringify({
					grant_type: "client_credentials",
					client_id: crypto.randomUUID(),
					client_secret: "nothing",
				}),
			});
			await answer.body?.cancel();
			return Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
		};
		const first = await left("203.0.113.60");
		expect(await left("203.0.113.61")).toBe(first);
		const again = await Promise.all(Array.from({ length: 5 }, () => left("203.0.113.61")));
		expect(Math.min(...again)).toBeLessThan(first);
	});
});
