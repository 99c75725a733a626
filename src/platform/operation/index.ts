/** What an HTTP operation declares and how its request is read; every `routes.ts` is a list of operations. */
export { json, NO_SNIFFING, NOT_KEPT, tenantOf } from "./answer";
export { checkSchema } from "./check-schema";
export { checkIfMatch, matchesEtag, versionTag } from "./etag";
export { ASKED_EACH_TIME, answerFile, digestHeaders, UNCHANGING, XML_TYPE } from "./file-answer";
export { idFrom } from "./id-from";
export { isObject, member, textMember } from "./member";
export { applyMergePatch } from "./merge-patch";
export {
	type Answer,
	type BodyRule,
	type Call,
	type CredentialNeed,
	type Credentials,
	type Deprecation,
	JSON_BYTES_MAX,
	type LimitClass,
	MAY_SEND_KEY,
	NEEDS_BEARER,
	NEEDS_BOTH,
	NEEDS_KEY,
	NEEDS_KEY_ONLY,
	type Operation,
	type Parameter,
	type ParameterFault,
	PUBLIC,
	type QueryValues,
	type ReadyAnswer,
} from "./operation";
export { cutPage, limitParameter, PageLimit, pageParameters, pageSchema, readPageQuery } from "./page";
export { PERIOD_DAYS_MAX, type Period, periodParameters, readPeriod } from "./period";
export { PLANS, type Plan, type Principal, SCOPES, type Scope } from "./principal";
export { ProblemSchema } from "./problem-schema";
export {
	checkCursorId,
	checkDay,
	dayParameters,
	oneOf,
	queryParameter,
	taxpayerParameter,
	textOf,
} from "./query-parameters";
export { checkBody, listBodyFaults, readBytes, readJson } from "./read-body";
export { checkText, parseJson, readDocument } from "./read-json";
export { createPlainQuery } from "./read-plain-query";
export { readQuery } from "./read-query";
export { isPeerPath, OperationTable } from "./table";
