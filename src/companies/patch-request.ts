/** Body of `PATCH /v1/company/{id}`, and whether a body is one. Source: RFC 7396. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { checkSchema, checkText, isObject, member } from "../platform/operation";
import { type Fault, Problem } from "../platform/problem";
import { checkSequenceDay } from "./check-request";
import {
	METADATA_MEMBERS_MAX,
	METADATA_NAMES,
	MetadataName,
	MetadataText,
	members,
	type Settings,
	SettingsSchema,
} from "./members";
import { findRepeatedWebhooks } from "./webhook-list";

const Clearable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

const { address } = members;
const { locale, timezone, printFormat, strictValidation, outagePolicy, sequenceMode, signatureProfile } =
	SettingsSchema.properties;
const noOthers = { additionalProperties: false } as const;

export const PatchCompanyRequest = Type.Object(
	{
		name: Type.Optional(members.name),
		tradeName: Clearable(members.tradeName),
		email: Clearable(members.email),
		phone: Clearable(members.phone),
		address: Clearable(
			Type.Object(
				{
					street: Clearable(address.properties.street),
					municipalityCode: Clearable(address.properties.municipalityCode),
					provinceCode: Clearable(address.properties.provinceCode),
				},
				noOthers,
			),
		),
		economicActivity: Clearable(members.economicActivity),
		authorityEnvironment: Type.Optional(members.authorityEnvironment),
		webhooks: Clearable(members.webhooks),
		webhookUrl: Clearable(members.webhookUrl),
		webhookUrls: Clearable(members.webhookUrls),
		pdfLogo: Clearable(members.pdfLogo),
		certificate: Type.Optional(members.certificate),
		settings: Clearable(
			Type.Object(
				{
					locale: Clearable(locale),
					timezone: Clearable(timezone),
					printFormat: Clearable(printFormat),
					strictValidation: Clearable(strictValidation),
					outagePolicy: Clearable(outagePolicy),
					sequenceMode: Clearable(sequenceMode),
					signatureProfile: Clearable(signatureProfile),
					sequenceExpiresOn: Type.Optional(SettingsSchema.properties.sequenceExpiresOn),
				},
				{ ...noOthers, description: "`null` is the setting's default." },
			),
		),
		contactEmails: Clearable(members.contactEmails),
		metadata: Clearable(
			Type.Record(MetadataName, Type.Union([MetadataText, Type.Null()]), {
				...METADATA_NAMES,
				description: `Merged; ${METADATA_MEMBERS_MAX} members at most in the end.`,
			}),
		),
	},
	{
		...noOthers,
		$id: "PatchCompany",
		description:
			"What is absent stays, `null` clears, objects are merged, arrays are replaced. The three members of webhooks are one list, in which a URL comes once.",
	},
);
export type PatchCompanyRequest = Static<typeof PatchCompanyRequest>;

/** Members of the record that nobody changes. The first three are the specification's; the rest are what the service tells. */
const IMMUTABLE: ReadonlySet<string> = new Set([
	...["rnc", "tenantId", "environment"],
	...["status", "plan", "registry", "credentials", "warnings", "version", "createdAt", "updatedAt", "_links"],
]);

const NOT_CLEARABLE: Readonly<Record<string, string>> = {
	name: "A company has a name; send another one.",
	authorityEnvironment: "A company has an environment of the authority; send another one.",
	certificate:
		"A certificate is removed by DELETE /v1/company/{id}/certificates/{cid}; send another one to replace it.",
};

/**
 * Checks a change of a company that has these settings; `today` is its day. Throws: validation-error with all faults. Base64
 * members have limits of their own, so texts have none here.
 */
export function checkPatch(value: unknown, { sequenceExpiresOn }: Settings, today: string): PatchCompanyRequest {
	const told = isObject(value) ? Object.keys(value).flatMap((name) => checkMember(value, name)) : [];
	const isTold = ({ pointer }: Fault) => told.some((fault) => fault.pointer === pointer);
	const faults = [
		...checkText(value, Number.POSITIVE_INFINITY),
		...told,
		...checkSchema(PatchCompanyRequest, value).filter((fault) => !isTold(fault)),
		...checkSequenceDay(value, today, sequenceExpiresOn),
		...findRepeatedWebhooks(value),
	];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as PatchCompanyRequest;
}

function checkMember(value: object, name: string): Fault[] {
	const pointer = `/${name}`;
	if (IMMUTABLE.has(name)) return [{ pointer, code: "immutable", detail: "The member cannot be changed." }];
	const detail = Object.hasOwn(NOT_CLEARABLE, name) ? NOT_CLEARABLE[name] : undefined;
	return detail !== undefined && member(value, name) === null ? [{ pointer, code: "not-clearable", detail }] : [];
}
