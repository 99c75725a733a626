/** Bodies of company requests, and their checks. Source: RFC 7396 for patches. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { DEFAULT_EVENTS, type EndpointRequest, type ListedEndpoint } from "../events/endpoints";
import { checkSchema, checkText, findDocumentDayFault, isObject, member, textMember } from "../platform/operation";
import { type Fault, type Message, msg, Problem } from "../platform/problem";
import { type Environment, parseTaxpayerDocument, type TaxpayerDocument } from "../platform/values";
import {
	CreateCompanyRequest,
	defaultSettings,
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
const {
	locale,
	timezone,
	printFormat,
	strictValidation,
	knownRejections,
	outagePolicy,
	sequenceMode,
	signatureProfile,
} = SettingsSchema.properties;
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
				{ ...noOthers, description: members.address.description },
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
					knownRejections: Clearable(knownRejections),
					outagePolicy: Clearable(outagePolicy),
					sequenceMode: Clearable(sequenceMode),
					signatureProfile: Clearable(signatureProfile),
					sequenceExpiresOn: Type.Optional(SettingsSchema.properties.sequenceExpiresOn),
					deferredSending: Type.Optional(SettingsSchema.properties.deferredSending),
				},
				{ ...noOthers, description: "`null` restores the default." },
			),
		),
		contactEmails: Clearable(members.contactEmails),
		metadata: Clearable(
			Type.Record(MetadataName, Type.Union([MetadataText, Type.Null()]), {
				...METADATA_NAMES,
				description: `Merged; the result has at most ${METADATA_MEMBERS_MAX} members.`,
			}),
		),
	},
	{
		...noOthers,
		$id: "PatchCompany",
		description:
			"Absent members stay, `null` clears, objects are merged, arrays are replaced. The three webhook members form one list, in " +
			"which a URL may appear once.",
	},
);
export type PatchCompanyRequest = Static<typeof PatchCompanyRequest>;

/** Members of the record that cannot be changed. The specification names the first three; the service sets the rest. */
const IMMUTABLE: ReadonlySet<string> = new Set([
	...["rnc", "tenantId", "environment"],
	...["status", "plan", "registry", "credentials", "warnings", "version", "createdAt", "updatedAt", "_links"],
]);

const NOT_CLEARABLE: Readonly<Record<string, Message>> = {
	name: msg`A company needs a name; send another one.`,
	authorityEnvironment: msg`A company needs an environment of the authority; send another one.`,
	certificate: msg`To remove a certificate, use DELETE /v1/company/{id}/certificates/{cid}; to replace it, send another one.`,
};

/**
 * Checks a patch of a company with these settings; `today` is its day. Base64 members have their own limits, so texts are not limited here.
 * Throws: validation-error with all violations.
 */
export function checkPatch(value: unknown, { sequenceExpiresOn }: Settings, today: string): PatchCompanyRequest {
	const violations = isObject(value) ? Object.keys(value).flatMap((name) => checkMember(value, name)) : [];
	const isKnown = ({ pointer }: Fault) => violations.some((fault) => fault.pointer === pointer);
	const faults = [
		...checkText(value, Number.POSITIVE_INFINITY),
		...violations,
		...checkSchema(PatchCompanyRequest, value).filter((fault) => !isKnown(fault)),
		...checkSequenceDay(value, today, sequenceExpiresOn),
		...checkAuthorisationDay(value, today),
		...findRepeatedWebhooks(value),
	];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as PatchCompanyRequest;
}

function checkMember(value: object, name: string): Fault[] {
	const pointer = `/${name}`;
	if (IMMUTABLE.has(name)) return [{ pointer, code: "immutable", detail: msg`The member cannot be changed.` }];
	const detail = Object.hasOwn(NOT_CLEARABLE, name) ? NOT_CLEARABLE[name] : undefined;
	return detail !== undefined && member(value, name) === null ? [{ pointer, code: "not-clearable", detail }] : [];
}

export type CheckedRequest = {
	readonly request: CreateCompanyRequest;
	readonly document: TaxpayerDocument;
	readonly settings: Settings;
};

/**
 * Checks a parsed body; `today` is a day in UTC-4. Base64 members have their own limits, so texts are not limited here. Throws:
 * validation-error.
 */
export function checkCompanyRequest(value: unknown, environment: Environment, today: string): CheckedRequest {
	const faults: Fault[] = [
		...checkText(value, Number.POSITIVE_INFINITY),
		...checkSchema(CreateCompanyRequest, value),
		...checkMembers(value, environment),
		...checkSequenceDay(value, today),
		...checkAuthorisationDay(value, today),
		...findRepeatedWebhooks(value),
	];
	const request = value as CreateCompanyRequest;
	const document = faults.length === 0 ? parseTaxpayerDocument(request.rnc) : undefined;
	if (!document) throw new Problem("validation-error", { faults });
	return { request, document, settings: { ...defaultSettings(environment), ...request.settings } };
}

function checkMembers(value: unknown, environment: Environment): Fault[] {
	const faults: Fault[] = [];
	const rnc = textMember(value, "rnc");
	if (rnc !== undefined && !parseTaxpayerDocument(rnc)) {
		faults.push({ pointer: "/rnc", code: "invalid-rnc", detail: msg`Send 9 or 11 digits, hyphens allowed.` });
	}
	const asked = textMember(value, "environment");
	if (asked !== undefined && asked !== environment) {
		faults.push({
			pointer: "/environment",
			code: "other-environment",
			detail: msg`This API key belongs to ${environment}.`,
		});
	}
	return faults;
}

/**
 * Checks what the schema cannot: that the day exists and has not passed, since no document can use an expired sequence. `kept` is the stored
 * value, which is accepted again when settings are sent back unchanged.
 */
export function checkSequenceDay(value: unknown, today: string, kept: string | null = null): Fault[] {
	const day = textMember(member(value, "settings"), "sequenceExpiresOn");
	if (day === undefined || day === kept || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return [];
	const pointer = "/settings/sequenceExpiresOn";
	const detail = findDocumentDayFault(day);
	if (detail !== undefined) return [{ pointer, code: "invalid-date", detail }];
	if (day >= today) return [];
	return [
		{ pointer, code: "expired", detail: msg`The sequence has expired, so no document could be issued under it.` },
	];
}

/** An authorisation of a day to come permits nothing yet. */
function checkAuthorisationDay(value: unknown, today: string): Fault[] {
	const day = textMember(member(member(value, "settings"), "deferredSending"), "authorisedOn");
	if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return [];
	const pointer = "/settings/deferredSending/authorisedOn";
	const detail = findDocumentDayFault(day);
	if (detail !== undefined) return [{ pointer, code: "invalid-date", detail }];
	return day <= today ? [] : [{ pointer, code: "future-date", detail: msg`Later than today, ${today} (UTC-4).` }];
}

type WebhookMembers = {
	readonly webhooks?: readonly (EndpointRequest | string)[] | null;
	readonly webhookUrl?: string | null;
	readonly webhookUrls?: readonly string[] | null;
};

const MEMBERS = ["webhooks", "webhookUrl", "webhookUrls"] as const;

/** The webhooks of a request in the order of its three members; undefined if it has none of them. */
export function listWebhooks(request: WebhookMembers): ListedEndpoint[] | undefined {
	if (MEMBERS.every((name) => request[name] === undefined)) return undefined;
	const plain = (url: string, pointer: string): ListedEndpoint => {
		return { url, events: DEFAULT_EVENTS, pointer, isPlain: true };
	};
	return [
		...(request.webhooks ?? []).map((webhook, i): ListedEndpoint => {
			if (typeof webhook === "string") return plain(webhook, `/webhooks/${i}`);
			return { events: DEFAULT_EVENTS, ...webhook, pointer: `/webhooks/${i}/url`, isPlain: false };
		}),
		...(typeof request.webhookUrl === "string" ? [plain(request.webhookUrl, "/webhookUrl")] : []),
		...(request.webhookUrls ?? []).map((url, i) => plain(url, `/webhookUrls/${i}`)),
	];
}

/**
 * A violation for each URL that already appears earlier in the three members, whatever else is wrong with the body. Spellings of one URL are
 * equal.
 */
export function findRepeatedWebhooks(body: unknown): Fault[] {
	const firsts = new Map<string, string>();
	return listUrls(body).flatMap(({ url, pointer }): Fault[] => {
		const spelled = URL.canParse(url) ? new URL(url).href : url;
		const first = firsts.get(spelled);
		if (first === undefined) firsts.set(spelled, pointer);
		return first === undefined
			? []
			: [{ pointer, code: "repeated", detail: msg`The URL already appears at ${first}.` }];
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
