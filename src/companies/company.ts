/** The company: its members, the request that registers it, and the stored row. */

import { type Static, Type } from "@sinclair/typebox";
import { EndpointRequest } from "../events/endpoints";
import { lineOf, type Plan } from "../platform/operation";
import { msg } from "../platform/problem";
import { EMAIL_PATTERN, type Environment, isSandbox } from "../platform/values";

const Email = Type.String({
	maxLength: 80,
	pattern: EMAIL_PATTERN,
	faultCode: "invalid-email",
	faultDetail: msg`Is not an e-mail address.`,
	description: "An e-mail address.",
});
const Url = Type.String({
	minLength: 1,
	maxLength: 2_000,
	description: "Address of an endpoint that gets the default events.",
});

export const AddressSchema = Type.Object(
	{
		street: Type.Optional(lineOf(100, "Street and number, as printed on documents.")),
		municipalityCode: Type.Optional(
			Type.String({ pattern: "^[0-9]{6}$", description: "The authority's code of the municipality." }),
		),
		provinceCode: Type.Optional(
			Type.String({ pattern: "^[0-9]{6}$", description: "The authority's code of the province." }),
		),
	},
	{ additionalProperties: false, description: "Address of the company, as printed on documents." },
);
export type Address = Static<typeof AddressSchema>;

export const SettingsSchema = Type.Object(
	{
		locale: Type.Union([Type.Literal("es-DO"), Type.Literal("en-US")], {
			description: "Language of e-mails to buyers unless the request names another. Default: `es-DO`.",
		}),
		timezone: Type.Literal("America/Santo_Domingo", { description: "Time zone of all days of documents (UTC-4)." }),
		printFormat: Type.Union(
			[Type.Literal("a4"), Type.Literal("letter"), Type.Literal("thermal_80"), Type.Literal("thermal_58")],
			{ description: "Paper of printed documents; the numbers are widths in mm. Default: `a4`." },
		),
		strictValidation: Type.Boolean({ description: "Treat an invoice's warnings as violations." }),
		knownRejections: Type.Union([Type.Literal("refuse"), Type.Literal("send")], {
			description:
				"What happens to a document that the authority is certain to reject. `refuse` answers 422 `known-rejection` and stores " +
				"nothing; `send` issues it with a warning. Default: `refuse` in production and staging, `send` in the sandboxes.",
		}),
		outagePolicy: Type.Union([Type.Literal("queue"), Type.Literal("reject")], {
			description:
				"Behaviour while the authority is known to be down. `queue` keeps documents; `reject` answers 504 and stores nothing.",
		}),
		sequenceMode: Type.Union([Type.Literal("client"), Type.Literal("service")], {
			description:
				'`client`: the caller numbers its documents. `service`: it may send `encf: "auto"` and get the next number of its sequences.',
		}),
		signatureProfile: Type.Union([Type.Literal("xades-bes"), Type.Literal("xmldsig")], {
			description: "Form of the signature on documents: XAdES-BES, the default, or plain XML Signature.",
		}),
		sequenceExpiresOn: Type.Union([Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }), Type.Null()], {
			description: "Expiry of the authorised sequence, `YYYY-MM-DD`.",
		}),
		deferredSending: Type.Union(
			[
				Type.Object(
					{
						authorisedOn: Type.String({
							pattern: "^\\d{4}-\\d{2}-\\d{2}$",
							description: "Day of the authorisation, `YYYY-MM-DD`.",
						}),
						reference: lineOf(60, "Number of the authority's letter."),
					},
					{ additionalProperties: false },
				),
				Type.Null(),
			],
			{
				description:
					"The authority's authorisation to issue offline and send later. With it, invoices may be `deferred`; they are due within 24 hours.",
			},
		),
	},
	{ additionalProperties: false },
);
export type Settings = Static<typeof SettingsSchema>;

export function defaultSettings(environment: Environment): Settings {
	return {
		locale: "es-DO",
		timezone: "America/Santo_Domingo",
		printFormat: "a4",
		strictValidation: false,
		knownRejections: isSandbox(environment) ? "send" : "refuse",
		outagePolicy: "queue",
		sequenceMode: "client",
		signatureProfile: "xades-bes",
		sequenceExpiresOn: null,
		deferredSending: null,
	};
}

export const METADATA_MEMBERS_MAX = 20;
export const MetadataName = Type.String({ pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,40}$" });
/** How metadata reports names that do not fit. */
export const METADATA_NAMES = {
	additionalProperties: false,
	faultDetail: msg`A name has 1 to 40 characters and no control characters.`,
} as const;
export const MetadataText = Type.String({ maxLength: 500 });

/** A telephone number in the form of the authority's format, ddd-ddd-dddd. `phone` matches the member's pattern. */
export function toPrintedPhone(phone: string): string {
	return phone
		.replace(/\D/g, "")
		.slice(-10)
		.replace(/^(\d{3})(\d{3})/, "$1-$2-");
}

export const members = {
	name: lineOf(150, "Legal name; the registry's name when absent."),
	tradeName: lineOf(150, "Commercial name."),
	email: Email,
	phone: Type.String({
		ownPattern: true,
		pattern: "^(?:\\+?1[ .-]?)?(?:\\d{3}|\\(\\d{3}\\))[ .-]?\\d{3}[ .-]?\\d{4}$",
		faultCode: "invalid-phone",
		faultDetail: msg`Send ten digits, such as 809-555-0101.`,
		description: "Ten digits; kept and printed in the form 809-555-0101.",
	}),
	address: AddressSchema,
	economicActivity: lineOf(100, "Economic activity, as printed on documents."),
	authorityEnvironment: Type.Union([Type.Literal("test"), Type.Literal("certification"), Type.Literal("production")], {
		description:
			"The authority's environment; `production` needs a passed certification test set. Each environment has its own numbers. The " +
			"sequences, used numbers and voids of the environment that the company leaves do not count until it returns. Production " +
			"documents keep their numbers everywhere.",
	}),
	webhooks: Type.Array(Type.Union([EndpointRequest, Url]), {
		maxItems: 50,
		description: "Together with `webhookUrl` and `webhookUrls` one list, in which a URL may appear once.",
	}),
	webhookUrl: Url,
	webhookUrls: Type.Array(Url, { maxItems: 50, description: "Addresses of endpoints that get the default events." }),
	/** Limited only by the body, so that a large one is reported as an invalid logo rather than a long text. */
	pdfLogo: Type.String({
		minLength: 1,
		description:
			"PNG or JPEG in base64, at most 256 KiB decoded and 2000 by 2000 pixels; a `data:` prefix is accepted.",
	}),
	certificate: Type.Object(
		{
			pkcs12: Type.String({
				minLength: 1,
				maxLength: 100_000,
				description: "PKCS#12 container in base64, at most 64 KiB decoded.",
			}),
			password: Type.String({ maxLength: 200, description: "Password of the container." }),
		},
		{ additionalProperties: false, description: "The certificate that signs the company's documents." },
	),
	settings: Type.Partial(SettingsSchema, {
		additionalProperties: false,
		description: "How documents are numbered, checked, signed and printed. Absent members have their defaults.",
	}),
	contactEmails: Type.Array(Email, {
		maxItems: 10,
		description: "Persons to contact about the company. They get no automatic mail.",
	}),
	metadata: Type.Record(MetadataName, MetadataText, {
		description: "Your own names and values. They are stored and returned, and have no effect.",
		maxProperties: METADATA_MEMBERS_MAX,
		...METADATA_NAMES,
	}),
} as const;

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
			Type.Union(
				[Type.Literal("production"), Type.Literal("staging"), Type.Literal("sandbox"), Type.Literal("public-sandbox")],
				{ description: "Environment of the service. It must be that of the API key, which is the default." },
			),
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

/** The registry's data when the company was registered. */
export type RegistryFacts = {
	readonly status: string;
	readonly payment_regime: string;
	readonly checkedAt: string;
	readonly runId: string;
};

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
	/** How far its test clock is ahead. */
	readonly clockAheadSeconds: number;
};
