/** The secrets of an endpoint: how they are kept, and which of them signs when. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { WebhookEndpoint } from "../../../src/events/endpoints";
import {
	createSecret,
	currentSecrets,
	openEndpointSecrets,
	sealEndpointSecret,
} from "../../../src/events/endpoints/secret";
import { createEnvelope, SealedSecretError } from "../../../src/platform/secrets";
import { newId } from "../../../src/platform/values";

const envelope = createEnvelope(randomBytes(32));
const NOW = new Date("2026-11-20T14:00:00.000Z");
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

type Sealed = Parameters<typeof currentSecrets>[0] & Pick<WebhookEndpoint, "tenantId" | "id">;

function endpointWith(secret: string, next?: { secret: string; at: Date }): Sealed {
	const place = { tenantId: newId(), id: newId() };
	return {
		...place,
		sealedSecret: sealEndpointSecret(envelope, place, secret),
		secretHint: "whsec_old",
		sealedNextSecret: next ? sealEndpointSecret(envelope, place, next.secret) : null,
		nextSecretHint: next ? "whsec_new" : null,
		nextSecretAt: next?.at ?? null,
	};
}

test("a signing secret has 32 random bytes, and its hint shows only the beginning", () => {
	const { secret, hint } = createSecret();
	expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
	expect(Buffer.from(secret.slice("whsec_".length), "base64").length).toBe(32);
	expect(hint).toBe(`${secret.slice(0, 10)}…`);
	expect(createSecret().secret).not.toBe(secret);
});

test("an endpoint's secret opens for its own row", () => {
	const { secret } = createSecret();
	const endpoint = endpointWith(secret);
	expect(Buffer.from(endpoint.sealedSecret).includes(secret)).toBe(false);
	expect(openEndpointSecrets(envelope, endpoint, NOW)).toEqual({ main: secret, next: undefined });
});

test("a secret moved to another tenant's or endpoint's row does not open", () => {
	const { sealedSecret, tenantId, id } = endpointWith(createSecret().secret);
	for (const place of [
		{ tenantId: newId(), id },
		{ tenantId, id: newId() },
		{ tenantId: id, id: tenantId },
	]) {
		const moved = { ...endpointWith("another"), ...place, sealedSecret };
		expect(() => openEndpointSecrets(envelope, moved, NOW)).toThrow(SealedSecretError);
	}
});

test("during a rotation both secrets sign; after it the new one alone", () => {
	const endpoint = endpointWith("old", { secret: "new", at: later(60) });
	expect(openEndpointSecrets(envelope, endpoint, NOW)).toEqual({ main: "old", next: "new" });
	expect(openEndpointSecrets(envelope, endpoint, later(59.999))).toEqual({ main: "old", next: "new" });
	expect(openEndpointSecrets(envelope, endpoint, later(60))).toEqual({ main: "new", next: undefined });
	expect(currentSecrets(endpoint, later(60)).main.hint).toBe("whsec_new");
});
