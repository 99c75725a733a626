/** A number that is held for an invoice is given back if no document is stored under it. */
import { expect, test } from "bun:test";
import { NO_SKEW } from "../../../../src/authority/client";
import { issueInvoice } from "../../../../src/invoicing/invoices/issue/issue-invoice";
import type { IssueDeps } from "../../../../src/invoicing/invoices/issue/issuer";
import type { HeldNumber } from "../../../../src/invoicing/sequences";
import { newId } from "../../../../src/platform/values";
import { makeRequest, NOW } from "../support/request";

const tenantId = newId();
const issuer = {
	company: {
		...{ tenantId, authorityEnvironment: "test", rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" },
		...{ status: "active", clockAheadSeconds: 0 },
		settings: { outagePolicy: "queue", sequenceMode: "service", signatureProfile: "xades-bes" },
	},
	identity: { tenantId, thumbprint: "sha256:00", certificateDer: new Uint8Array(), sealedKey: new Uint8Array() },
};

/** Issues an invoice that takes `held`, with a signer that fails; returns the holds that were given back. */
async function issueUnder(held: HeldNumber, { mayAcknowledge = true, refusal = "failed" } = {}): Promise<string[]> {
	const givenBack: string[] = [];
	const deps = {
		...{ clock: { now: () => NOW }, clockSkew: NO_SKEW, mayAcknowledge: () => mayAcknowledge, environment: "sandbox" },
		registry: { lookup: () => undefined, isLoaded: () => false, runId: () => undefined },
		queries: {
			preflight: async () => ({ replay: undefined, issuerVersion: "1", collides: false, standing: undefined }),
			issuers: { get: async () => issuer },
		},
		numbering: {
			take: async () => held,
			giveBack: async (_: unknown, holdId: string) => givenBack.push(holdId),
		},
		signer: {
			signAndPack: async () => {
				throw new Error("signing failed");
			},
		},
	} as unknown as IssueDeps;
	const request = {
		...{ tenantId, scenario: undefined, handling: undefined, charge: undefined },
		bytes: new TextEncoder().encode(JSON.stringify(makeRequest("31", { encf: "auto" }))),
		rawSha256: new Uint8Array(32),
		place: { scopeId: tenantId, operation: "POST /v1/invoices", key: crypto.randomUUID() },
	};
	await expect(issueInvoice(deps, request)).rejects.toThrow(refusal);
	return givenBack;
}

test("a number is given back when signing fails", async () => {
	expect(await issueUnder({ holdId: "a", encf: "E310000000007", expiresOn: "2027-12-31" })).toEqual(["a"]);
});

test("a number is given back when the document cannot be planned under it", async () => {
	const held = {
		...{ holdId: "b", expiresOn: "2027-12-31" },
		get encf(): string {
			throw new Error("planning failed");
		},
	};
	expect(await issueUnder(held)).toEqual(["b"]);
});

test("no number is taken while no standby confirms what is stored", async () => {
	const held = { holdId: "c", encf: "E310000000008", expiresOn: "2027-12-31" };
	expect(await issueUnder(held, { mayAcknowledge: false, refusal: "No standby confirms" })).toEqual([]);
});
