/** What an HTTP operation declares and how its request is read. Every `routes.ts` is a list of operations. */
export {
	answerFile,
	checkIfMatch,
	digestHeaders,
	json,
	matchesEtag,
	NO_SNIFFING,
	PRIVATE_NO_CACHE,
	PRIVATE_NO_STORE,
	tenantOf,
	UNCHANGING,
	versionTag,
	XML_TYPE,
} from "./answer";
export { checkSchema, isObject, member, textMember } from "./check-schema";
export { CODED_BYTES_MIN, type Coding, chooseCoding, codeAnswer } from "./content-coding";
export { answerStoredFile } from "./file-answer";
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
	opensCompany,
	type Parameter,
	type ParameterFault,
	PLANS,
	type Plan,
	type Principal,
	ProblemSchema,
	PUBLIC,
	type QueryValues,
	type ReadyAnswer,
	SCOPES,
	type Scope,
} from "./operation";
export {
	cutPage,
	idFrom,
	limitParameter,
	PageLimit,
	PERIOD_DAYS_MAX,
	type Period,
	pageParameters,
	pageSchema,
	periodParameters,
	readPageQuery,
	readPeriod,
} from "./paging";
export {
	checkCursorId,
	checkDay,
	companyParameter,
	createPlainQuery,
	dayParameters,
	headerParameter,
	jsonBody,
	lineOf,
	oneOf,
	pathParameter,
	queryParameter,
	readQuery,
	taxpayerParameter,
	textOf,
} from "./query";
export { applyMergePatch, checkBody, listBodyFaults, readBytes, readJson, readPiecewise } from "./read-body";
export { checkText, parseJson, readDocument, tooDeep } from "./read-json";
export { isCounterpartyPath, OperationTable } from "./table";
export { absentPart, refuseWithoutDatabase } from "./without-database";
