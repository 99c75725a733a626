/** What is refused because of where it is issued. */
import { expect, test } from "bun:test";
import type { CompanyRow } from "../../../../src/companies";
import { checkRequest } from "../../../../src/invoicing/invoices/check/check-request";
import { checkAgainstTenant, type RegistryReader } from "../../../../src/invoicing/invoices/check/check-tenant";
import { Problem } from "../../../../src/platform/problem";
import { type Environment, newId } from "../../../../src/platform/values";
import { makeRequest, NOW } from "../support/request";

const tenantId = newId();
const absent = { tradeName: null, email: null, phone: null, address: null, economicActivity: null, ownerId: null };
const company = (environment: Environment): CompanyRow => ({
	...absent,
	...{ logoBytes: null, logoContentType: null, logoSha256: null, contactEmails: [], metadata: {}, warnings: [] },
	tenantId,
	environment,
	authorityEnvironment: "production",
	rnc: "131880681",
	name: "FERRETERIA EL PROGRESO SRL",
	status: "active",
	plan: "unlimited",
	registry: { status: "ACTIVO", payment_regime: "NORMAL", checkedAt: NOW.toISOString(), runId: newId() },
	settings: {
		...{ locale: "es-DO", timezone: "America/Santo_Domingo", printFormat: "a4", strictValidation: false },
		...{
			knownRejections: "send",
			outagePolicy: "queue",
			sequenceMode: "client",
			signatureProfile: "xades-bes",
			sequenceExpiresOn: "2027-12-31",
			deferredSending: null,
		},
	},
	version: 1,
	createdAt: NOW,
	updatedAt: NOW,
	clockAheadSeconds: 0,
});
const identity = {
	tenantId,
	thumbprint: "sha256:00",
	certificateDer: new Uint8Array(),
	sealedKey: new Uint8Array(),
};
const registry = {
	lookup: () => undefined,
	isLoaded: () => false,
	runId: () => undefined,
} as unknown as RegistryReader;

/** Codes of the faults; none when it passes. */
function codesOf(
	environment: Environment,
	change: Record<string, unknown>,
	settings: Partial<CompanyRow["settings"]> = {},
): string[] {
	const invoice = checkRequest(makeRequest("31", change), NOW);
	try {
		const base = company(environment);
		const own = { ...base, settings: { ...base.settings, ...settings } };
		checkAgainstTenant(invoice, { company: own, identity, environment, registry, now: NOW });
		return [];
	} catch (error) {
		if (error instanceof Problem && error.slug === "validation-error") return error.faults.map(({ code }) => code);
		throw error;
	}
}

test("a buyer that stands for a scenario passes in the sandboxes alone", () => {
	const change = { customer: { rnc: "000000002", name: "CLIENTE" } };
	expect(codesOf("production", change)).toEqual(["sandbox-only"]);
	expect(codesOf("staging", change)).toEqual(["sandbox-only"]);
	expect(codesOf("sandbox", change)).toEqual([]);
	expect(codesOf("production", {})).toEqual([]);
});

test("a number shorter than the authority's passes everywhere but in production", () => {
	const change = { encf: "E3100000001" };
	expect(codesOf("production", change)).toEqual(["encf-length"]);
	expect(codesOf("sandbox", change)).toEqual([]);
});

test("a deferred document needs the authority's permission to send later", () => {
	const change = { deferred: true } as const;
	expect(codesOf("sandbox", change)).toEqual(["deferred-not-authorised"]);
	const deferredSending = { authorisedOn: "2026-01-15", reference: "GLD 123-26" };
	expect(codesOf("sandbox", change, { deferredSending })).toEqual([]);
});
