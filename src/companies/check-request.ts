/** The form of a company request: schema and members in one answer, with all faults. */
import { checkSchema, checkText, member, textMember } from "../platform/operation";
import { type Fault, Problem } from "../platform/problem";
import {
	type Environment,
	findDocumentDayFault,
	parseTaxpayerDocument,
	type TaxpayerDocument,
} from "../platform/values";
import { CreateCompanyRequest } from "./company";
import { DEFAULT_SETTINGS, type Settings } from "./members";
import { findRepeatedWebhooks } from "./webhook-list";

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
