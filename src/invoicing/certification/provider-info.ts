/** The registered information of the certified provider: who, with which software, and where. */
import { type TSchema, Type } from "@sinclair/typebox";
import { ECF_TYPES } from "../../ecf/mapping";
import { json, NEEDS_BOTH, type Operation } from "../../platform/operation";
import type { CertificationDeps } from "./step-work";

type ProviderFacts = Pick<
	CertificationDeps,
	"provider" | "baseUrl" | "environment" | "software" | "apiVersions" | "retentionYears"
>;

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Gap: unconfigured members are null. Without a certification number the status is `not-certified`. */
const ProviderInfo = Type.Object(
	{
		rnc: Nullable(Type.String()),
		name: Nullable(Type.String()),
		certificationNumber: Nullable(Type.String({ description: "Given by the authority." })),
		certifiedAt: Nullable(Type.String({ description: "`YYYY-MM-DD`." })),
		status: Type.Union([Type.Literal("certified"), Type.Literal("not-certified")]),
		software: Type.Object({
			name: Type.String(),
			version: Type.String(),
			commit: Nullable(Type.String({ description: "Commit of the source." })),
		}),
		apiVersions: Type.Object({ invoicing: Type.String(), identity: Type.String() }),
		supportedTypes: Type.Array(Type.String()),
		environments: Type.Array(Type.Object({ name: Type.String(), baseUrl: Type.String() })),
		serviceUrls: Type.Object({
			reception: Type.String({ description: "Where other issuers send their documents." }),
			commercialApproval: Type.String(),
			authentication: Type.String(),
		}),
		egressIps: Type.Array(Type.String({ description: "Addresses that webhooks and submissions come from." })),
		support: Type.Object({ email: Nullable(Type.String()), statusPage: Nullable(Type.String()) }),
		archive: Type.Object({ retentionYears: Type.Integer(), mode: Type.Literal("write-once") }),
	},
	{
		$id: "ProviderInfo",
		examples: [
			{
				rnc: "133999999",
				name: "PROVEEDOR ECF SRL",
				certificationNumber: "PSFE-0042",
				certifiedAt: "2026-03-15",
				status: "certified",
				software: { name: "sello", version: "0.1.0-dev", commit: "9f3c2d1" },
				apiVersions: { invoicing: "0.1.0-dev", identity: "1.0.0" },
				supportedTypes: [...ECF_TYPES],
				environments: [{ name: "production", baseUrl: "https://api.example" }],
				serviceUrls: {
					reception: "https://api.example/fe/recepcion/api/ecf",
					commercialApproval: "https://api.example/fe/aprobacioncomercial/api/ecf",
					authentication: "https://api.example/fe/autenticacion/api",
				},
				egressIps: ["203.0.113.10/32"],
				support: { email: "soporte@example.do", statusPage: "https://status.example" },
				archive: { retentionYears: 10, mode: "write-once" },
			},
		],
	},
);

export function providerInfoOperation(deps: ProviderFacts): Operation {
	return {
		id: "getProviderInfo",
		sdk: "testSets.getProviderInfo",
		method: "GET",
		path: "/v1/provider-info",
		tag: "Certification",
		summary: "Read the provider's details",
		description:
			"Who runs the service and how it is certified: names, versions, supported types and environments, as the authority's forms ask for them.",
		credentials: NEEDS_BOTH,
		scope: "certification:read",
		answers: { 200: { description: "The provider.", schema: ProviderInfo } },
		problems: [],
		handle: () => json(200, toProviderInfo(deps), { "cache-control": "private, max-age=300" }),
	};
}

function toProviderInfo({ provider, baseUrl, environment, software, apiVersions, retentionYears }: ProviderFacts) {
	const { rnc, name, certificationNumber, certifiedAt, egressIps, commit } = provider;
	// This environment is known; the others come from the configuration.
	const others = provider.environments.filter((one) => one.name !== environment);
	return {
		...{ rnc, name, certificationNumber, certifiedAt },
		status: certificationNumber === null ? "not-certified" : "certified",
		software: { ...software, commit },
		apiVersions,
		supportedTypes: [...ECF_TYPES],
		environments: [{ name: environment, baseUrl }, ...others],
		serviceUrls: {
			reception: `${baseUrl}/fe/recepcion/api/ecf`,
			commercialApproval: `${baseUrl}/fe/aprobacioncomercial/api/ecf`,
			authentication: `${baseUrl}/fe/autenticacion/api`,
		},
		egressIps,
		support: { email: provider.supportEmail, statusPage: provider.statusPage },
		archive: { retentionYears, mode: "write-once" },
	};
}
