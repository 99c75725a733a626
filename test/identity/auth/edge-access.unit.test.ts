/** Keys of a node without a database: how old their copy may be. */
import { expect, test } from "bun:test";
import { drawKey } from "../../../src/identity/auth/api-key";
import { openEdgeAccess } from "../../../src/identity/auth/edge-access";
import { hexDigestOf } from "../../../src/identity/auth/secret";
import type { CopiedKey } from "../../../src/identity/auth/store";
import { NEEDS_KEY } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import { newId } from "../../../src/platform/values";

const NOW = new Date("2026-11-20T04:00:00.000Z");
let ageMs = 0;
const access = openEdgeAccess({
	currentUntil: () => performance.now() - ageMs,
	graceSeconds: 60,
	environment: "sandbox",
	baseUrl: "https://api.example",
	clock: { now: () => NOW },
});

function draw(members: Partial<CopiedKey> = {}) {
	const made = drawKey({ plan: "free", label: "test", environment: "sandbox", ownerId: newId() }, NOW);
	const { key, id, ownerId, plan, scopes, environment, ipAllowList, tenantIds } = made;
	const facts = { id, ownerId, plan, scopes, environment, ipAllowList, tenantIds, expiresAt: null };
	return { key, copied: { digest: hexDigestOf(key), ...facts, ...members } };
}

async function ask(key: string, headers: Record<string, string> = {}): Promise<string> {
	const request = new Request("https://api.example/", { headers: { "x-api-key": key, ...headers } });
	const answer = await access.authenticate(request, NEEDS_KEY, "192.0.2.1").catch((error: unknown) => error);
	if (answer instanceof Problem) return answer.slug;
	const isRecognised = access.recognise(key, performance.now()) !== undefined;
	return isRecognised ? "accepted at once" : "accepted";
}

const [known, expired, bound, elsewhere, absent] = [
	draw(),
	draw({ expiresAt: NOW.toISOString() }),
	draw({ ipAllowList: ["192.0.2.0/24"] }),
	draw({ ipAllowList: ["198.51.100.0/24"] }),
	draw(),
];
access.takeKeys(JSON.stringify([known, expired, bound, elsewhere].map(({ copied }) => copied)));
const all = [known, expired, bound, elsewhere, absent].map(({ key }) => key);
const askAll = () => Promise.all(all.map((key) => ask(key)));

test("a confirmed copy decides about every key", async () => {
	ageMs = 0;
	expect(await askAll()).toEqual(["accepted at once", "unauthorised", "accepted", "unauthorised", "unauthorised"]);
	expect(await ask(known.key, { authorization: "Bearer x.y.z" })).toBe("service-unavailable");
	expect([access.grace.isOn(), access.grace.isPossible()]).toEqual([false, true]);
});

test("a late copy says nothing of keys that it lacks", async () => {
	ageMs = 16_000;
	expect(await askAll()).toEqual([
		...["accepted at once", "unauthorised", "accepted", "unauthorised"],
		"service-unavailable",
	]);
	expect([access.grace.isOn(), access.grace.isPossible()]).toEqual([true, true]);
});

test("after the grace no key is accepted", async () => {
	ageMs = 61_000;
	expect(new Set(await askAll())).toEqual(new Set(["service-unavailable"]));
	expect(access.grace.isPossible()).toBe(false);
});

test("a key that left the copy is refused", async () => {
	ageMs = 0;
	access.takeKeys("[]");
	expect(await ask(known.key)).toBe("unauthorised");
});
