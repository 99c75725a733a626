/** The companies of the sandboxes that belong to no customer: the demo client's, and those of people who try the console. */
import { randomInt } from "node:crypto";
import type { Signer } from "../ecf/signing";
import { type Access, DEFAULT_SCOPES, DEMO_RNC } from "../identity/auth";
import type { Sql } from "../platform/database";
import type { Plan } from "../platform/operation";
import { Problem } from "../platform/problem";
import { type Clock, type Environment, hasCheckDigit, newId, type TaxpayerDocument } from "../platform/values";
import type { Registry } from "../registry";
import { insertCertificate } from "./certificates/store";
import { defaultSettings } from "./company";
import { createEphemeralCertificate } from "./signing-identity";
import { findByRnc, findCompany, insertCompany, lockDemoCompany, type NewCompany } from "./store";

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
		const name = "EMPRESA DE DEMOSTRACION SRL";
		await insertCompany(tx, toDemoRow({ tenantId, environment, plan, rnc: DEMO_RNC, name, now }));
		await insertCertificate(tx, certificate);
	});
}

type DemoRow = Pick<NewCompany, "tenantId" | "environment" | "plan" | "rnc" | "name">;

function toDemoRow({ now, ...row }: DemoRow & { readonly now: Date }): NewCompany {
	return {
		...row,
		...{ ownerId: null, authorityEnvironment: "test" },
		...{ tradeName: null, email: null, phone: null, address: null, economicActivity: null },
		registry: { status: "ACTIVO", payment_regime: "NORMAL", checkedAt: now.toISOString(), runId: "" },
		// So that `encf: "auto"` works at once: in the sandboxes a type without a sequence gets one at its first use.
		settings: { ...defaultSettings(row.environment), sequenceMode: "service" },
		...{ logo: null, contactEmails: [], metadata: {}, warnings: [] },
	};
}

const TRIES = 20;

/** A new company of the public sandbox, for a person who tries the console. It is wiped like all of them. Throws: service-unavailable. */
export async function createTrialCompany(deps: {
	readonly sql: Sql;
	readonly signer: Signer;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly access: Pick<Access, "createClient">;
	readonly registry: Pick<Registry, "lookup">;
}): Promise<string> {
	const { sql, signer, environment, clock, access, registry } = deps;
	const [tenantId, now] = [newId(), clock.now()];
	const certificate = await createEphemeralCertificate(signer, tenantId, now);
	for (let tried = 0; tried < TRIES; tried++) {
		const document = drawDocument();
		const rnc = document.digits;
		if (registry.lookup(document) || (await findByRnc(sql, rnc, environment))) continue;
		const row = { tenantId, environment, plan: "demo", rnc, name: "EMPRESA DE PRUEBA SRL", now } as const;
		await sql.begin(async (tx) => {
			await insertCompany(tx, toDemoRow(row));
			await insertCertificate(tx, certificate);
			await access.createClient(tx, { ...row, ownerId: null, scopes: DEFAULT_SCOPES });
		});
		return tenantId;
	}
	throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
}

/** An RNC of the authority's test range. */
function drawDocument(): TaxpayerDocument {
	for (;;) {
		const digits = `99${String(randomInt(10_000_000)).padStart(7, "0")}`;
		if (hasCheckDigit(digits)) return { digits, kind: "rnc" };
	}
}
