/** The whole host away, steered from a port that stays. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../support/until";
import { type Authority, startAuthority } from "./support/authority";

const SEED = "/testecf/autenticacion/api/autenticacion/semilla";

let authority: Authority;
beforeEach(async () => {
	authority = await startAuthority({ control: "own-port" });
});
afterEach(() => authority.stop());

const isThere = () =>
	authority.call(SEED).then(
		(response) => response.ok,
		() => false,
	);

test("connections are refused until the outage ends, then the same address answers", async () => {
	expect((await authority.steer("outage", { kind: "refused" })).status).toBe(204);
	await expect(authority.call(SEED)).rejects.toThrow();
	await authority.steer("outage", {}, "DELETE");
	expect(await isThere()).toBe(true);
});

test("an outage ends by itself if it has a duration", async () => {
	await authority.steer("outage", { kind: "refused", ms: 200 });
	expect(await isThere()).toBe(false);
	await until(isThere);
});

test("a host that swallows calls answers none, and the port of the tests goes on", async () => {
	await authority.steer("outage", { kind: "black-hole" });
	const patience = new AbortController();
	const swallowed = fetch(`${authority.url}${SEED}`, { signal: patience.signal });
	expect(await authority.receptions()).toEqual([]);
	expect((await authority.steer("faults", { operation: "seed", mode: "slow" })).status).toBe(201);
	patience.abort();
	await expect(swallowed).rejects.toThrow();
	await authority.steer("outage", {}, "DELETE");
	await authority.steer("faults", {}, "DELETE");
	expect(await isThere()).toBe(true);
});

test("a simulator stops in the middle of an outage", async () => {
	await authority.steer("outage", { kind: "refused" });
	expect(await isThere()).toBe(false);
});

test("the services' port has no control, and a sandbox in use has no control port", async () => {
	expect((await authority.call("/_simulator/faults")).status).toBe(404);
	const closed = await startAuthority({ control: "none" });
	expect((await closed.call("/_simulator/faults")).status).toBe(404);
	expect((await closed.call(SEED)).status).toBe(200);
	await closed.stop();
});

test("where steering goes by the services' port, an outage must end by itself", async () => {
	const shared = await startAuthority();
	expect((await shared.steer("outage", { kind: "refused" })).status).toBe(400);
	expect((await shared.steer("outage", { kind: "refused", ms: 100 })).status).toBe(204);
	await until(() =>
		shared.call(SEED).then(
			() => false,
			() => true,
		),
	);
	await until(() =>
		shared.call(SEED).then(
			(response) => response.ok,
			() => false,
		),
	);
	await shared.stop();
});
