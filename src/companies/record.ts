import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { currentSecrets, listEndpointsOf, type WebhookEndpoint } from "../events/endpoints";
import type { Sql, Tx } from "../platform/database";
import { CertificateRecord, toCertificateRecord } from "./certificates/record";
import { type CertificateRow, findSigningCertificates } from "./certificates/store";
import { AddressSchema, type CompanyRow, defaultSettings, SettingsSchema } from "./company";
import type { Secrets } from "./credentials";
import { findCompany } from "./store";

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The Company as the API shows it. `credentials` and `webhooks[].secret` appear only in the answer that created them. */
export const CompanyRecord = Type.Object(
	{
		tenantId: Type.String(),
		rnc: Type.String(),
		name: Type.String(),
		tradeName: Nullable(Type.String()),
		email: Nullable(Type.String()),
		phone: Nullable(Type.String()),
		address: Nullable(AddressSchema),
		economicActivity: Nullable(Type.String()),
		status: Type.String({ description: "`active`; `suspended`: cannot issue; `closed`: can only be read." }),
		plan: Type.String(),
		environment: Type.String(),
		authorityEnvironment: Type.String(),
		registry: Type.Object({
			status: Type.String(),
			payment_regime: Type.String(),
			checkedAt: Type.String(),
			runId: Type.String(),
		}),
		webhooks: Type.Array(
			Type.Object({
				id: Type.String(),
				url: Type.String(),
				events: Type.Array(Type.String()),
				description: Nullable(Type.String()),
				status: Type.String(),
				secret: Type.Optional(Nullable(Type.String())),
				secretHint: Type.String(),
			}),
		),
		pdfLogo: Type.Object({
			present: Type.Boolean(),
			contentType: Type.Optional(Type.String()),
			bytes: Type.Optional(Type.Integer()),
			sha256: Type.Optional(Type.String()),
		}),
		certificate: Nullable(CertificateRecord),
		settings: SettingsSchema,
		credentials: Type.Optional(Type.Object({ clientId: Type.String(), clientSecret: Nullable(Type.String()) })),
		contactEmails: Type.Array(Type.String()),
		metadata: Type.Record(Type.String(), Type.String()),
		warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
		version: Type.Integer(),
		createdAt: Type.String(),
		updatedAt: Type.String(),
		_links: Type.Object({ self: Type.String() }),
	},
	{
		$id: "Company",
		examples: [
			{
				tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566",
				rnc: "990000001",
				name: "FERRETERIA EL PROGRESO SRL",
				tradeName: "EL PROGRESO",
				email: "facturas@elprogreso.do",
				phone: "809-555-0101",
				address: { street: "Av. Duarte 100", municipalityCode: "010100", provinceCode: "010000" },
				economicActivity: "VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA",
				status: "active",
				plan: "free",
				environment: "sandbox",
				authorityEnvironment: "test",
				registry: {
					status: "ACTIVO",
					payment_regime: "NORMAL",
					checkedAt: "2026-11-20T14:00:00.000Z",
					runId: "0192ef00-7a00-7b11-9c22-334455667788",
				},
				webhooks: [
					{
						id: "0192f0a2-7a00-7b11-9c22-334455667788",
						url: "https://erp.elprogreso.do/hooks/ecf",
						events: ["invoice.*"],
						description: null,
						status: "enabled",
						secret: "whsec_shown-once",
						secretHint: "whsec_5W0b…",
					},
				],
				pdfLogo: { present: false },
				certificate: {
					id: "0192f0e0-7a00-7b11-9c22-334455667788",
					status: "active",
					subject: "CN=FIRMANTE DE PRUEBA, SERIALNUMBER=IDCDO-99900000001",
					issuer: "CN=FIRMANTE DE PRUEBA, SERIALNUMBER=IDCDO-99900000001",
					serialNumber: "5A:1F",
					thumbprint: "sha256:ab12…",
					notBefore: "2026-11-19T14:00:00.000Z",
					notAfter: "2027-11-20T14:00:00.000Z",
					daysLeft: 365,
					ephemeral: true,
					activateAt: "2026-11-20T14:00:00.000Z",
				},
				settings: defaultSettings("sandbox"),
				credentials: { clientId: "cli_0192f0a1b2c37d4e8f00112233445566", clientSecret: "shown once" },
				contactEmails: ["it@elprogreso.do"],
				metadata: { erpCompany: "001" },
				warnings: [],
				version: 1,
				createdAt: "2026-11-20T14:00:00.000Z",
				updatedAt: "2026-11-20T14:00:00.000Z",
				_links: { self: "/v1/company/0192f0a1-b2c3-7d4e-8f00-112233445566" },
			},
		],
	},
);
export type CompanyRecord = Static<typeof CompanyRecord>;

export function toCompanyRecord(
	row: CompanyRow,
	endpoints: readonly WebhookEndpoint[],
	certificate: CertificateRow | undefined,
	now: Date,
	secrets?: Secrets,
): CompanyRecord {
	return {
		tenantId: row.tenantId,
		rnc: row.rnc,
		name: row.name,
		tradeName: row.tradeName,
		email: row.email,
		phone: row.phone,
		address: row.address,
		economicActivity: row.economicActivity,
		status: row.status,
		plan: row.plan,
		environment: row.environment,
		authorityEnvironment: row.authorityEnvironment,
		registry: row.registry,
		webhooks: endpoints.map((endpoint) => ({
			id: endpoint.id,
			url: endpoint.url,
			events: [...endpoint.events],
			description: endpoint.description,
			status: endpoint.status,
			...(secrets?.endpoints.has(endpoint.id) ? { secret: secrets.endpoints.get(endpoint.id) ?? null } : {}),
			secretHint: currentSecrets(endpoint, now).main.hint,
		})),
		pdfLogo:
			row.logoContentType === null
				? { present: false }
				: { present: true, contentType: row.logoContentType, bytes: row.logoBytes ?? 0, sha256: row.logoSha256 ?? "" },
		certificate: certificate ? toCertificateRecord(certificate, now) : null,
		settings: row.settings,
		...(secrets?.credentials ? { credentials: secrets.credentials } : {}),
		contactEmails: [...row.contactEmails],
		metadata: { ...row.metadata },
		warnings: row.warnings.map((w) => ({ ...w })),
		version: row.version,
		createdAt: row.createdAt.toISOString(),
		updatedAt: row.updatedAt.toISOString(),
		_links: { self: `/v1/company/${row.tenantId}` },
	};
}

/** The current Company record. With `secrets`, for the one answer that shows them. */
export async function readRecord(
	sql: Sql | Tx,
	tenantId: string,
	now: Date,
	secrets?: Secrets,
): Promise<CompanyRecord> {
	const row = await findCompany(sql, tenantId);
	const [record] = row ? await readRecords(sql, [row], now, secrets) : [];
	if (!record) throw new Error(`company ${tenantId} vanished`);
	return record;
}

export async function readRecords(
	sql: Sql | Tx,
	rows: readonly CompanyRow[],
	now: Date,
	secrets?: Secrets,
): Promise<CompanyRecord[]> {
	const tenantIds = rows.map(({ tenantId }) => tenantId);
	const endpoints = Map.groupBy(await listEndpointsOf(sql, tenantIds), ({ tenantId }) => tenantId);
	const certificates = new Map(
		(await findSigningCertificates(sql, tenantIds, now)).map((certificate) => [certificate.tenantId, certificate]),
	);
	return rows.map((row) => {
		const { tenantId } = row;
		return toCompanyRecord(row, endpoints.get(tenantId) ?? [], certificates.get(tenantId), now, secrets);
	});
}
