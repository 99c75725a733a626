/** A company as an issuer of test sets, without a database. */
import type { CompanyRow } from "../../../../src/companies";
import type { TestIssuer } from "../../../../src/invoicing/invoices";
import type { Environment } from "../../../../src/platform/values";

export const NOW = new Date("2026-11-21T14:20:00.118Z");
export const TENANT_ID = "0192f0a1-b2c3-7d4e-8f00-112233445566";

const company: CompanyRow = {
	...{ tenantId: TENANT_ID, ownerId: null, environment: "sandbox", authorityEnvironment: "test" },
	...{ rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL", status: "active", plan: "unlimited" },
	...{ tradeName: null, email: null, phone: null, address: null, economicActivity: null },
	...{ logoBytes: null, logoContentType: null, logoSha256: null, contactEmails: [], metadata: {}, warnings: [] },
	registry: { status: "ACTIVO", payment_regime: "NORMAL", checkedAt: NOW.toISOString(), runId: TENANT_ID },
	settings: {
		...{ locale: "es-DO", timezone: "America/Santo_Domingo", printFormat: "a4", strictValidation: true },
		...{ knownRejections: "send", outagePolicy: "queue", sequenceMode: "client" },
		...{ signatureProfile: "xades-bes", sequenceExpiresOn: null, deferredSending: null },
	},
	...{ version: 1, createdAt: NOW, updatedAt: NOW, clockAheadSeconds: 0 },
};
const identity = {
	...{ tenantId: TENANT_ID, thumbprint: "sha256:00" },
	...{ certificateDer: new Uint8Array(), sealedKey: new Uint8Array() },
};

/** Strict, which a test set must not mind. */
export function makeIssuer(environment: Environment = "sandbox", change: Partial<CompanyRow> = {}): TestIssuer {
	return { company: { ...company, environment, ...change }, identity, revisions: "1", environment, now: NOW };
}
