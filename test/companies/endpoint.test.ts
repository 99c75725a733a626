import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
	createSecret,
	openEndpointSecret,
	sealEndpointSecret,
	type WebhookEndpoint,
} from "../../src/companies/endpoint";
import { createEnvelope, SealedSecretError } from "../../src/secrets";
import { newId } from "../../src/values";

const envelope = createEnvelope(randomBytes(32));

function endpointWith(secret: string): WebhookEndpoint {
	const place = { tenantId: newId(), id: newId() };
	return {
		...place,
		url: "https://erp.example/hooks",
		events: ["invoice.*"],
		description: null,
		status: "enabled",
		sealedSecret: sealEndpointSecret(envelope, place, secret),
		secretHint: "whsec_",
	};
}

test("a signing secret is 32 random bytes behind its prefix, and its hint shows no more than its beginning", () => {
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
	expect(openEndpointSecret(envelope, endpoint)).toBe(secret);
});

test("a secret that was moved to another tenant's row or another endpoint's does not open", () => {
	const { sealedSecret, tenantId, id } = endpointWith(createSecret().secret);
	for (const place of [
		{ tenantId: newId(), id },
		{ tenantId, id: newId() },
		{ tenantId: id, id: tenantId },
	]) {
		const moved = { ...endpointWith("another"), ...place, sealedSecret };
		expect(() => openEndpointSecret(envelope, moved)).toThrow(SealedSecretError);
	}
});
