import type { Signer } from "../ecf/signing";
import { DEMO_RNC } from "../identity/auth";
import type { Sql } from "../platform/database";
import type { Plan } from "../platform/operation";
import type { Clock, Environment } from "../platform/values";
import { insertCertificate } from "./certificates/store";
import { defaultSettings } from "./company";
import { createEphemeralCertificate } from "./signing-identity";
import { findCompany, insertCompany, lockDemoCompany } from "./store";

/** Creates the demo client's company if it is missing. Several processes may try at once. */
export async function ensureDemoCompany(
	deps: { sql: Sql; signer: Signer; environment: Environment; clock: Clock },
	tenantId: string,
	plan: Plan,
): Promise<void> {
	const { sql, signer, environment, clock } = deps;
	if (await findCompany(sql, tenantId)) return;
	const now = clock.now();
	const certificate = await createEphemeralCertificate(signer, tenantId, now);
	await sql.begin(async (tx) => {
		await lockDemoCompany(tx);
		if (await findCompany(tx, tenantId)) return;
		await insertCompany(tx, {
			tenantId,
			ownerId: null,
			environment,
			authorityEnvironment: "test",
			rnc: DEMO_RNC,
			name: "EMPRESA DE DEMOSTRACION SRL",
			tradeName: null,
			email: null,
			phone: null,
			address: null,
			economicActivity: null,
			plan,
			registry: { status: "ACTIVO", payment_regime: "NORMAL", checkedAt: now.toISOString(), runId: "" },
			// So that `encf: "auto"` works at once: in the sandboxes a type without a sequence gets one at its first use.
			settings: { ...defaultSettings(environment), sequenceMode: "service" },
			logo: null,
			contactEmails: [],
			metadata: {},
			warnings: [],
		});
		await insertCertificate(tx, certificate);
	});
}
