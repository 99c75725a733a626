/** A company in its forms: the request that registers it, and the row that is stored. */
import { type Static, Type } from "@sinclair/typebox";
import type { Plan } from "../platform/operation";
import type { Environment } from "../platform/values";
import { type Address, members, type Settings } from "./members";

/** Body of `POST /v1/company`; only the RNC is required. */
export const CreateCompanyRequest = Type.Object(
	{
		rnc: Type.String({
			minLength: 1,
			maxLength: 20,
			description: "RNC of 9 or 11 digits, hyphens allowed; must be in the registry.",
		}),
		name: Type.Optional(members.name),
		tradeName: Type.Optional(members.tradeName),
		email: Type.Optional(members.email),
		phone: Type.Optional(members.phone),
		address: Type.Optional(members.address),
		economicActivity: Type.Optional(members.economicActivity),
		environment: Type.Optional(
			Type.Union([
				Type.Literal("production"),
				Type.Literal("staging"),
				Type.Literal("sandbox"),
				Type.Literal("public-sandbox"),
			]),
		),
		authorityEnvironment: Type.Optional(members.authorityEnvironment),
		webhooks: Type.Optional(members.webhooks),
		webhookUrl: Type.Optional(members.webhookUrl),
		webhookUrls: Type.Optional(members.webhookUrls),
		pdfLogo: Type.Optional(members.pdfLogo),
		certificate: Type.Optional(members.certificate),
		settings: Type.Optional(members.settings),
		contactEmails: Type.Optional(members.contactEmails),
		metadata: Type.Optional(members.metadata),
	},
	{ additionalProperties: false },
);
export type CreateCompanyRequest = Static<typeof CreateCompanyRequest>;

export type AuthorityEnvironment = "test" | "certification" | "production";

/** What the registry said when the company was registered. */
export type RegistryFacts = {
	readonly status: string;
	readonly payment_regime: string;
	readonly checkedAt: string;
	readonly runId: string;
};

/** A company as it is stored. */
export type CompanyRow = {
	readonly tenantId: string;
	readonly ownerId: string | null;
	readonly environment: Environment;
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly rnc: string;
	readonly name: string;
	readonly tradeName: string | null;
	readonly email: string | null;
	readonly phone: string | null;
	readonly address: Address | null;
	readonly economicActivity: string | null;
	readonly status: "active" | "suspended" | "closed";
	readonly plan: Plan;
	readonly registry: RegistryFacts;
	readonly settings: Settings;
	readonly logoBytes: number | null;
	readonly logoContentType: string | null;
	readonly logoSha256: string | null;
	readonly contactEmails: readonly string[];
	readonly metadata: Readonly<Record<string, string>>;
	readonly warnings: readonly { code: string; detail: string }[];
	readonly version: number;
	readonly createdAt: Date;
	readonly updatedAt: Date;
	/** By how much its test clock is ahead. */
	readonly clockAheadSeconds: number;
};
