/** Body of `PATCH /v1/company/{id}`, and whether a body is one. Source: RFC 7396. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { DEFAULT_EVENTS, type EndpointRequest, type ListedEndpoint } from "../events/endpoints";
import { checkSchema, checkText, isObject, member, textMember } from "../platform/operation";
import { type Fault, Problem } from "../platform/problem";
import {
	type Environment,
	findDocumentDayFault,
	parseTaxpayerDocument,
	type TaxpayerDocument,
} from "../platform/values";
import {
	CreateCompanyRequest,
	DEFAULT_SETTINGS,
	METADATA_MEMBERS_MAX,
	METADATA_NAMES,
	MetadataName,
	MetadataText,
	members,
	type Settings,
	SettingsSchema,
} from "./company";

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

/* HEAD check-request.ts: The form of a company request: schema and members in one answer, with all faults. */

export type CheckedRequest = {
	readonly request: CreateCompanyRequest;
	readonly document: TaxpayerDocument;
	readonly settings: Settings;
};

/** Checks a parsed body; `today` is a day in UTC-4. Throws: validation-error. Base64 members have limits of their own, so texts have none here. */
export function checkCompanyRequest(value: unknown, environment: Environment, today: string): CheckedRequest {
	const faults: Fault[] = [
		...checkText(value, Number.POSITIVE_INFINITY),
		...checkSchema(CreateCompanyRequest, value),
		...checkMembers(value, environment),
		...checkSequenceDay(value, today),
		...findRepeatedWebhooks(value),
	];
	const request = value as CreateCompanyRequest;
	const document = faults.length === 0 ? parseTaxpayerDocument(request.rnc) : undefined;
	if (!document) throw new Problem("validation-error", { faults });
	return { request, document, settings: { ...DEFAULT_SETTINGS, ...request.settings } };
}

function checkMembers(value: unknown, environment: Environment): Fault[] {
	const faults: Fault[] = [];
	const rnc = textMember(value, "rnc");
	if (rnc !== undefined && !parseTaxpayerDocument(rnc)) {
		faults.push({ pointer: "/rnc", code: "invalid-rnc", detail: "Send 9 or 11 digits, hyphens allowed." });
	}
	const asked = textMember(value, "environment");
	if (asked !== undefined && asked !== environment) {
		faults.push({
			pointer: "/environment",
			code: "other-environment",
			detail: `This API key belongs to ${environment}.`,
		});
	}
	return faults;
}

/**
 * The one setting whose form says too little: 2027-02-30 looks like a day, and numbers of a sequence that is over can be given to nobody.
 * `kept` is what the company has already, so that whoever sends its settings back is not refused for the time that has passed.
 */
export function checkSequenceDay(value: unknown, today: string, kept: string | null = null): Fault[] {
	const day = textMember(member(value, "settings"), "sequenceExpiresOn");
	if (day === undefined || day === kept || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return [];
	const pointer = "/settings/sequenceExpiresOn";
	const detail = findDocumentDayFault(day);
	if (detail !== undefined) return [{ pointer, code: "invalid-date", detail }];
	if (day >= today) return [];
	return [{ pointer, code: "expired", detail: "The sequence has expired: no document could be issued under it." }];
}

/* HEAD webhook-list.ts: The webhooks that a request asks for, in whichever of the three members it says them. */

type Asked = {
	readonly webhooks?: readonly (EndpointRequest | string)[] | null;
	readonly webhookUrl?: string | null;
	readonly webhookUrls?: readonly string[] | null;
};

const MEMBERS = ["webhooks", "webhookUrl", "webhookUrls"] as const;

/** All of them, one list after another; undefined when the request says nothing of webhooks. */
export function listWebhooks(asked: Asked): ListedEndpoint[] | undefined {
	if (MEMBERS.every((name) => asked[name] === undefined)) return undefined;
	const plain = (url: string, pointer: string): ListedEndpoint => {
		return { url, events: DEFAULT_EVENTS, pointer, isPlain: true };
	};
	return [
		...(asked.webhooks ?? []).map((webhook, i): ListedEndpoint => {
			if (typeof webhook === "string") return plain(webhook, `/webhooks/${i}`);
			return { events: DEFAULT_EVENTS, ...webhook, pointer: `/webhooks/${i}/url`, isPlain: false };
		}),
		...(typeof asked.webhookUrl === "string" ? [plain(asked.webhookUrl, "/webhookUrl")] : []),
		...(asked.webhookUrls ?? []).map((url, i) => plain(url, `/webhookUrls/${i}`)),
	];
}

/** A fault for each URL of a body, whatever else is wrong with it, that stands in the three members before. Two spellings of one URL are one. */
export function findRepeatedWebhooks(body: unknown): Fault[] {
	const firsts = new Map<string, string>();
	return listUrls(body).flatMap(({ url, pointer }): Fault[] => {
		const spelled = URL.canParse(url) ? new URL(url).href : url;
		const first = firsts.get(spelled);
		if (first === undefined) firsts.set(spelled, pointer);
		return first === undefined ? [] : [{ pointer, code: "repeated", detail: `The URL stands at ${first} already.` }];
	});
}

function listUrls(body: unknown): { readonly url: string; readonly pointer: string }[] {
	return MEMBERS.flatMap((name) => {
		const value = member(body, name);
		const items: readonly unknown[] = Array.isArray(value) ? value : [];
		const all = [{ item: value, pointer: `/${name}` }, ...items.map((item, i) => ({ item, pointer: `/${name}/${i}` }))];
		return all.flatMap(({ item, pointer }) => {
			const url = textMember(item, "url");
			if (url !== undefined) return [{ url, pointer: `${pointer}/url` }];
			return typeof item === "string" ? [{ url: item, pointer }] : [];
		});
	});
}
