import { afterEach, expect, test } from "bun:test";
import { followSkew, skewOf } from "../../../src/authority/client/clock-skew";
import { until } from "../../support/until";
import { type Asked, openClient, type Script, SEED, startScripted, tokenOf, whoOf } from "./support/authority";

const asked = { rnc: "990000001", encf: "E310000000001", trackId: "d2b6e27c-3908-46f3-afaa-2207b9501b4b" };
const inProcess = () => Response.json({ codigo: 3, estado: "En Proceso" });
const bearer = ({ headers }: Pick<Asked, "headers">) => headers.get("authorization");

const running: { stop: () => Promise<void> }[] = [];
afterEach(async () => {
	for (const one of running.splice(0)) await one.stop();
});

function start(script: Script) {
	const server = startScripted(script);
	running.push(server);
	return { server, ...openClient(server.url) };
}

const answerResult: Script = ({ path }) => (path.endsWith("/estado") ? inProcess() : undefined);

test("a token is fetched once for concurrent calls with one certificate", async () => {
	const { server, authority, signed } = start(answerResult);
	const verdicts = await Promise.all(Array.from({ length: 20 }, () => authority.queryResult(whoOf("a"), asked)));
	expect(verdicts.every((verdict) => verdict.kind === "in-process")).toBe(true);
	expect([server.count("/semilla"), server.count("/validarsemilla")]).toEqual([1, 1]);
	expect(signed).toEqual([{ seed: SEED, identity: "key of a" }]);
	const tokens = server.asked.filter(({ path }) => path.endsWith("/estado")).map(bearer);
	expect(new Set(tokens)).toEqual(new Set(["Bearer token-1"]));
});

test("certificates and environments do not share tokens", async () => {
	const { server, authority } = start(answerResult);
	for (const who of [whoOf("a"), whoOf("b"), whoOf("a", "ecf"), whoOf("a")]) await authority.queryResult(who, asked);
	expect(server.count("/validarsemilla")).toBe(3);
	const last = server.asked.filter(({ path }) => path.endsWith("/estado")).map(bearer);
	expect(last).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-3", "Bearer token-1"]);
});

test("a token is renewed a minute early, by its stated lifetime and not by the clock", async () => {
	const { server, authority, time } = start(answerResult);
	const startMs = time.at.getTime();
	const queryAt = async (seconds: number) => {
		time.at = new Date(startMs + seconds * 1000);
		await authority.queryResult(whoOf("a"), asked);
		return server.count("/validarsemilla");
	};
	expect(await queryAt(0)).toBe(1);
	expect(await queryAt(3539)).toBe(1);
	expect(await queryAt(3540)).toBe(2);
});

test("a failed renewal does not end a token that is still valid", async () => {
	let isDown = false;
	const { authority, time } = start((one) =>
		isDown && one.path.endsWith("/semilla") ? new Response(null, { status: 503 }) : answerResult(one),
	);
	const startMs = time.at.getTime();
	await authority.queryResult(whoOf("a"), asked);
	isDown = true;
	time.at = new Date(startMs + 3_590_000);
	expect((await authority.queryResult(whoOf("a"), asked)).kind).toBe("in-process");
	time.at = new Date(startMs + 3_600_000);
	expect(await authority.queryResult(whoOf("a"), asked)).toMatchObject({
		kind: "unavailable",
		reason: "authority-http-5xx",
	});
});

test("a token without a stated lifetime is kept for five minutes", async () => {
	const { server, authority, time } = start((one) =>
		one.path.endsWith("/validarsemilla") ? Response.json({ Token: "t", expira: "soon" }) : answerResult(one),
	);
	for (const seconds of [0, 239, 1]) {
		time.at = new Date(time.at.getTime() + seconds * 1000);
		await authority.queryResult(whoOf("a"), asked);
	}
	expect(server.count("/validarsemilla")).toBe(2);
});

test("a 401 drops the token, and the call is repeated once with a fresh one", async () => {
	const { server, authority } = start(({ path, headers }) => {
		if (!path.endsWith("/estado")) return undefined;
		return bearer({ headers }) === "Bearer token-1" ? new Response(null, { status: 401 }) : inProcess();
	});
	const verdicts = await Promise.all(Array.from({ length: 10 }, () => authority.queryResult(whoOf("a"), asked)));
	expect(verdicts.every((verdict) => verdict.kind === "in-process")).toBe(true);
	expect(server.count("/validarsemilla")).toBe(2);
	expect(server.count("/estado")).toBe(20);
});

test("a 401 to a fresh token ends the call after two attempts", async () => {
	const { server, authority } = start(({ path }) =>
		path.endsWith("/facturaselectronicas") ? new Response(null, { status: 401 }) : undefined,
	);
	const document = { rnc: "990000001", encf: "E310000000001", xml: new Uint8Array([60]) };
	expect(await authority.submit(whoOf("a"), document)).toMatchObject({
		kind: "not-sent",
		reason: "authority-auth-failed",
	});
	expect(server.count("/facturaselectronicas")).toBe(2);
	expect(server.count("/validarsemilla")).toBe(2);
});

test("a holder who is not a delegate gets no token, and the number is masked", async () => {
	const sentence = "El RNC 00100000009 del certificado no está delegado para realizar transaciones.";
	const { authority, server } = start(({ path }) =>
		path.endsWith("/validarsemilla") ? Response.json(sentence, { status: 400 }) : undefined,
	);
	const submission = await authority.submit(whoOf("a"), {
		rnc: "990000001",
		encf: "E310000000001",
		xml: new Uint8Array([60]),
	});
	expect(submission).toEqual({
		kind: "not-sent",
		reason: "authority-auth-failed",
		detail: "no token: HTTP 400: El RNC *******0009 del certificado no está delegado para realizar transaciones.",
	});
	expect(server.count("/facturaselectronicas")).toBe(0);
});

for (const [name, response, reason] of [
	["HTML instead of a seed", () => new Response("<html></html>"), "authority-answer-unreadable"],
	[
		"an invoice instead of a seed",
		() => new Response("<ECF><valor>1</valor><fecha>2</fecha></ECF>"),
		"authority-answer-unreadable",
	],
	[
		"a seed with a stowaway",
		() => new Response("<SemillaModel><valor>1</valor><fecha>2</fecha><ECF/></SemillaModel>"),
		"authority-answer-unreadable",
	],
	["a seed with an error status", () => new Response(SEED, { status: 500 }), "authority-http-5xx"],
	[
		"a seed that is elsewhere",
		() => new Response(null, { status: 302, headers: { location: "/x" } }),
		"authority-http-error",
	],
] as const) {
	test(`${name} is never signed`, async () => {
		const { authority, signed } = start(({ path }) => (path.endsWith("/semilla") ? response() : undefined));
		expect(await authority.queryResult(whoOf("a"), asked)).toMatchObject({ kind: "unavailable", reason });
		expect(await authority.probe("testecf")).toBe(false);
		expect(signed).toEqual([]);
	});
}

for (const [name, body] of [
	["none", {}],
	["one that would break the header", tokenOf("a\r\nx: y", 3600)],
	["a bare text", "token"],
] as const) {
	test(`an answer with ${name} as its token leaves the call unsent`, async () => {
		const { authority, server } = start(({ path }) =>
			path.endsWith("/validarsemilla") ? Response.json(body) : undefined,
		);
		expect(await authority.queryResult(whoOf("a"), asked)).toMatchObject({ reason: "authority-answer-unreadable" });
		expect(server.count("/estado")).toBe(0);
	});
}

test("the XML variant of the token is read", async () => {
	const { token, expira, expedido } = tokenOf("from-xml", 3600);
	const xml = `<RespuestaAutenticacion><token>${token}</token><expira>${expira}</expira><expedido>${expedido}</expedido></RespuestaAutenticacion>`;
	const { authority, server } = start((one) =>
		one.path.endsWith("/validarsemilla") ? new Response(xml) : answerResult(one),
	);
	expect((await authority.queryResult(whoOf("a"), asked)).kind).toBe("in-process");
	expect(server.asked.at(-1)?.headers.get("authorization")).toBe("Bearer from-xml");
});

test("a failing signer fails every waiting call, and the next call tries again", async () => {
	const server = startScripted(answerResult);
	running.push(server);
	let fails = true;
	const { authority } = openClient(server.url, {
		signSeed: async () => {
			await until(() => server.count("/semilla") === 1);
			if (fails) throw new Error("the key is gone");
			return new Uint8Array([60]);
		},
	});
	const results = await Promise.allSettled([1, 2, 3].map(() => authority.queryResult(whoOf("a"), asked)));
	expect(results.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);
	fails = false;
	server.asked.length = 0;
	expect((await authority.queryResult(whoOf("a"), asked)).kind).toBe("in-process");
});

test("a document waits for the authority's clock, and other calls do not", async () => {
	const received: Script = ({ path }) =>
		path.endsWith("/facturaselectronicas")
			? Response.json({ trackId: asked.trackId })
			: answerResult({ path } as Asked);
	const { server, authority, time } = start(received);
	const seedMs = Date.parse("2026-11-20T15:59:31.355Z");
	// This clock is two minutes ahead of the seed's.
	time.at = new Date(seedMs + 120_000);
	const signedAt = new Date(seedMs + 120_645);
	const document = { ...asked, xml: new Uint8Array(1), signedAt };
	const waiting = await authority.submit(whoOf("a"), document);
	expect(waiting).toMatchObject({ kind: "not-sent", reason: "authority-clock-behind", afterMs: 120_645 });
	expect(await authority.queryResult(whoOf("a"), asked)).toMatchObject({ kind: "in-process" });
	time.at = new Date(time.at.getTime() + 120_644);
	expect(await authority.submit(whoOf("a"), document)).toMatchObject({ kind: "not-sent", afterMs: 1 });
	time.at = new Date(time.at.getTime() + 1);
	expect(await authority.submit(whoOf("a"), document)).toMatchObject({ kind: "received" });
	expect(server.count("/facturaselectronicas")).toBe(1);
});

test("a failed connection of the sign-in is its own outage", async () => {
	const text =
		"A connection attempt failed because the connected party did not properly respond after a period of time.";
	for (const broken of ["/semilla", "/validarsemilla"]) {
		const { authority } = start(({ path }) =>
			path.endsWith(broken) ? Response.json(text, { status: 400 }) : undefined,
		);
		const submission = await authority.submit(whoOf("a"), { ...asked, xml: new Uint8Array(1) });
		expect([broken, submission]).toMatchObject([broken, { kind: "not-sent", reason: "authority-http-error" }]);
	}
});

test("a clock's skew is the part that the duration of the call does not explain", () => {
	const seedMs = Date.parse("2026-11-20T15:59:31.355Z");
	const skew = (sentMs: number, receivedMs: number) => skewOf(SEED, seedMs + sentMs, seedMs + receivedMs);
	expect([skew(-5, 5), skew(100, 200), skew(-300, -100)]).toEqual([0, 100, -100]);
	expect(skewOf(SEED.replace("-04:00", ""), seedMs + 9, seedMs + 10)).toBe(9);
	expect(skewOf("<SemillaModel/>", 0, 1)).toBeUndefined();
});

test("a skew is measured at first, after the clock was set, and before each refusal", async () => {
	const seedMs = Date.parse("2026-11-20T15:59:31.355Z");
	let asks = 0;
	let seed = SEED;
	let aheadMs = 20_000;
	// A clock that runs, or the skew would change by itself.
	const startedMs = performance.now();
	const clock = { now: () => new Date(seedMs + aheadMs + performance.now() - startedMs) };
	const skew = followSkew(clock, async () => {
		asks++;
		return seed;
	});
	const ask = async () => [Math.round(((await skew.aheadMs("ecf")) ?? Number.NaN) / 10_000) * 10, asks];
	expect([await ask(), await ask()]).toEqual([
		[20, 1],
		[20, 1],
	]);
	aheadMs += 7_200_000;
	expect([await ask(), await ask()]).toEqual([
		[7_220, 2],
		[7_220, 3],
	]);
	aheadMs = -400_000;
	expect(await ask()).toEqual([-400, 4]);
	seed = "the authority is away";
	expect(await ask()).toEqual([-400, 5]);
	const unknown = followSkew(clock, () => Promise.reject(new Error("away")));
	expect([await unknown.aheadMs("ecf"), await unknown.aheadMs("ecf")]).toEqual([undefined, undefined]);
});
