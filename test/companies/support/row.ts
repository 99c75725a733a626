import type { CompanyRow } from "../../../src/companies";
import { defaultSettings } from "../../../src/companies/company";

/** A company as stored. */
export const companyRow = (over: Partial<CompanyRow> = {}): CompanyRow => ({
	...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", ownerId: null, environment: "production" },
	...{ authorityEnvironment: "certification", rnc: "131880681", name: "FERRETERIA SRL", tradeName: null, email: null },
	...{ phone: null, address: null, economicActivity: null, status: "active", plan: "free" },
	registry: { status: "ACTIVO", payment_regime: "NORMAL", checkedAt: "2026-11-20T14:00:00.000Z", runId: "" },
	...{
		settings: defaultSettings("sandbox"),
		logoBytes: null,
		logoContentType: null,
		logoSha256: null,
		contactEmails: [],
	},
	...{ metadata: {}, warnings: [], version: 1, createdAt: new Date(0), updatedAt: new Date(0), clockAheadSeconds: 0 },
	...over,
});
