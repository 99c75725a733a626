/**
 * Every problem that the service can answer: slug → status, title, cause, fix. `type` of a problem document ends in the slug,
 * and `/errors/<slug>` shows this text to a reader.
 *
 * Gap: the specification names eleven slugs; the others are ours, added where it lists a status without a slug or none.
 */
export type ProblemEntry = {
	readonly status: number;
	readonly title: string;
	/** What happened; the default `detail`. */
	readonly cause: string;
	/** What the caller can do about it. */
	readonly fix: string;
};

export const catalogue = {
	"malformed-json": {
		status: 400,
		title: "Malformed JSON",
		cause: "The body is not one JSON document in strict UTF-8.",
		fix: "Send a JSON document encoded as UTF-8, without a byte order mark, duplicate members or lone surrogates.",
	},
	"validation-error": {
		status: 400,
		title: "Validation failed",
		cause: "One or more members, headers or parameters break a rule; `errors` names each with a pointer.",
		fix: "Correct every entry of `errors` and send the request again.",
	},
	"unsupported-ecf-type": {
		status: 400,
		title: "Unsupported e-CF type",
		cause: "`type` is not one of 31, 32, 33, 34, 41, 44.",
		fix: "Send one of the supported types as a string.",
	},
	"invalid-document-format": {
		status: 400,
		title: "Invalid document format",
		cause: "The number has neither 9 nor 11 digits after removing hyphens.",
		fix: "Send an RNC of 9 or 11 digits or a Cédula of 11 digits.",
	},
	"unsupported-grant-type": {
		status: 400,
		title: "Unsupported grant type",
		cause: "`grant_type` is neither client_credentials nor refresh_token.",
		fix: "Use one of the two grants.",
	},
	"invalid-scope": {
		status: 400,
		title: "Invalid scope",
		cause: "A requested scope is unknown or not granted to the client.",
		fix: "Ask only for scopes that the client has.",
	},
	unauthorised: {
		status: 401,
		title: "Unauthorised",
		cause:
			"A credential is missing, invalid, expired or revoked, is used from an address that its allow-list does not hold, or two credentials do " +
			"not belong together.",
		fix: "Send a valid API key and, where needed, a bearer token of the same tenant.",
	},
	"insufficient-scope": {
		status: 403,
		title: "Insufficient scope",
		cause: "The credential is valid but lacks the scope that the operation needs.",
		fix: "Ask for a token with the scopes named in `requiredScopes`, and send a key that has them too.",
	},
	forbidden: {
		status: 403,
		title: "Forbidden",
		cause: "The credential may not do this.",
		fix: "Use a credential of the resource's owner that may do as much as what is asked for.",
	},
	"not-found": {
		status: 404,
		title: "Not found",
		cause: "Nothing is at this address for this caller.",
		fix: "Check the path and the identifier.",
	},
	"document-not-found": {
		status: 404,
		title: "Document not found",
		cause: "The registry has no entry for this number.",
		fix: "Check the number.",
	},
	"method-not-allowed": {
		status: 405,
		title: "Method not allowed",
		cause: "The resource does not support this method; `Allow` lists those it does.",
		fix: "Use one of the methods of `Allow`.",
	},
	"not-acceptable": {
		status: 406,
		title: "Not acceptable",
		cause: "No representation matches `Accept`.",
		fix: "Send `Accept: application/json` or leave it out.",
	},
	"company-already-exists": {
		status: 409,
		title: "Company already exists",
		cause: "The RNC is already registered in this environment.",
		fix: "Use the company that exists; `tenantId` names it when it is yours.",
	},
	"idempotency-in-progress": {
		status: 409,
		title: "Request in progress",
		cause: "Another request with the same idempotency key is still running.",
		fix: "Repeat the request after `Retry-After` seconds.",
	},
	"sequence-conflict": {
		status: 409,
		title: "Sequence conflict",
		cause: "Numbers of the range are registered, used, leased or voided already.",
		fix: "Choose a range without them; `errors` tells which.",
	},
	"duplicate-document": {
		status: 409,
		title: "Duplicate document",
		cause: "The document was received before, or another one has its number.",
		fix: "Nothing needs to be sent again; `detail` tells which of both it is.",
	},
	"approval-already-decided": {
		status: 409,
		title: "Approval already decided",
		cause: "The decision on this document is final, the company's own or the authority's.",
		fix: "Nothing can be changed; `detail` tells whose it is.",
	},
	"test-set-final": {
		status: 409,
		title: "Test set is final",
		cause: "The test set has ended, or has had all its runs, so it can be neither cancelled nor tried again.",
		fix: "Read the set: only one that failed has another run, `maxRuns` in all. Otherwise begin a new one.",
	},
	"export-limit-reached": {
		status: 409,
		title: "Export limit reached",
		cause:
			"The company has as many exports as it may have at a time; `counted` tells whether they are being made or kept for download, and `limit` how many.",
		fix: "Wait until one is ready, or one has expired, and order it then.",
	},
	"endpoint-retired": {
		status: 410,
		title: "Endpoint retired",
		cause: "The endpoint was deprecated, and the last day on which it answers, `sunsetAt`, is over.",
		fix: "Use `replacement`, or the successor that `/changelog` names; `Deprecation` and `Sunset` told it in all answers before.",
	},
	"cursor-expired": {
		status: 410,
		title: "Cursor expired",
		cause: "The cursor is older than what is kept, or its place is gone, as after an older database was restored.",
		fix: "Start again without `after`.",
	},
	"link-expired": {
		status: 410,
		title: "Link expired",
		cause: "The address was good until a time that is over, and what it led to is gone.",
		fix: "Order the export again: `POST /v1/archive/exports`.",
	},
	"precondition-failed": {
		status: 412,
		title: "Precondition failed",
		cause: "The resource has changed since the version in `If-Match`.",
		fix: "Read it again and repeat the change.",
	},
	"payload-too-large": {
		status: 413,
		title: "Payload too large",
		cause: "The body exceeds `limitBytes`.",
		fix: "Send less.",
	},
	"unsupported-media-type": {
		status: 415,
		title: "Unsupported media type",
		cause: "The body is not of a media type or encoding that the operation reads.",
		fix: "Send `application/json; charset=utf-8`, uncompressed or as gzip or zstd.",
	},
	"range-not-satisfiable": {
		status: 416,
		title: "Range not satisfiable",
		cause: "The file has no byte of what `Range` asks for; `Content-Range` tells its length.",
		fix: "Ask for a part that it has, or leave `Range` out.",
	},
	"mathematical-discrepancy": {
		status: 422,
		title: "Totals do not agree",
		cause: "The sum of the lines or subtotal plus tax does not match the totals.",
		fix: "Correct the amounts named in `errors`.",
	},
	"tenant-config-missing": {
		status: 422,
		title: "Tenant configuration missing",
		cause:
			"The company lacks something that issuing needs; `missing` names it: `rnc`, `certificate`, `sequence` (the last day of its numbers), " +
			"`certification` (a passed test set of all types), or `active` where it is suspended.",
		fix: "Complete the company and repeat the request with the same key. What is suspended is resumed by whoever runs the service.",
	},
	"authority-rejected": {
		status: 422,
		title: "Rejected by the authority",
		cause: "The authority rejected the document; `authorityCode` is its number.",
		fix: "See `fix` and the authority's message.",
	},
	"company-rnc-mismatch": {
		status: 422,
		title: "Company RNC mismatch",
		cause: "`company.rnc` is not the RNC of the token's tenant.",
		fix: "Use the token of the company that issues.",
	},
	"document-buyer-mismatch": {
		status: 422,
		title: "Document for another buyer",
		cause: "The document's buyer is not the company of the token.",
		fix: "Import it with the token of the company that it names.",
	},
	"idempotency-key-reused": {
		status: 422,
		title: "Idempotency key reused",
		cause: "The idempotency key was used with a different payload.",
		fix: "Use a new key for a new request.",
	},
	"client-request-id-conflict": {
		status: 422,
		title: "client_request_id already used",
		cause: "The `client_request_id` belongs to a document with different content.",
		fix: "Use a new `client_request_id` for a new document.",
	},
	"encf-already-used": {
		status: 422,
		title: "eNCF already used",
		cause: "The e-NCF belongs to another document of the company.",
		fix: "Use the next number of the sequence.",
	},
	"sequence-exhausted": {
		status: 422,
		title: "Sequence exhausted",
		cause: "No number is left in the registered sequences.",
		fix: "Register a new sequence.",
	},
	"rnc-not-registered": {
		status: 422,
		title: "RNC not registered",
		cause: "The RNC is not in the taxpayer registry.",
		fix: "Check the RNC.",
	},
	"rnc-inactive": {
		status: 422,
		title: "RNC not active",
		cause: "The registry does not list the RNC as active.",
		fix: "Resolve the status with the authority.",
	},
	"certificate-invalid": {
		status: 422,
		title: "Certificate invalid",
		cause: "The certificate cannot be used for signing.",
		fix: "Upload a valid PKCS#12 container with its password.",
	},
	"webhook-url-not-allowed": {
		status: 422,
		title: "Webhook URL not allowed",
		cause: "The URL is not one that webhooks may reach.",
		fix: "Use a public https address.",
	},
	"webhook-not-configured": {
		status: 422,
		title: "Webhook not configured",
		cause: "The company has no webhook endpoint.",
		fix: "Add one to the company.",
	},
	"logo-invalid": {
		status: 422,
		title: "Logo invalid",
		cause: "The logo is not a PNG or JPEG within the limits.",
		fix: "Send a PNG or JPEG of at most 256 KiB and 2000 by 2000 pixels.",
	},
	"test-set-in-progress": {
		status: 422,
		title: "Test set in progress",
		cause: "The company has an active test set; `id` names it.",
		fix: "Wait for it or cancel it: `POST /v1/check-set-tests/{id}/idCompany/{idCompany}/cancel`.",
	},
	"approval-not-required": {
		status: 422,
		title: "Approval not required",
		cause: "Documents of this type take no approval.",
		fix: "Nothing needs to be sent.",
	},
	"export-too-large": {
		status: 422,
		title: "Export too large",
		cause: "The period holds more than `documentsMax` documents, or more than `bytesMax` bytes of them.",
		fix: "Order shorter periods, one export each.",
	},
	"rate-limit-exceeded": {
		status: 429,
		title: "Rate limit exceeded",
		cause:
			"The plan allows no more requests of this kind now; `policy` names the limit, `limit` and `windowSeconds` its size.",
		fix: "Wait `Retry-After` seconds. `RateLimit` on every answer tells what is left.",
	},
	"polling-limit-exceeded": {
		status: 429,
		title: "Polling limit exceeded",
		cause: "The plan allows no more status polls in this hour; batches and event requests count as one each.",
		fix: "Wait `Retry-After` seconds; then poll every 30 seconds, ask for many in one batch, or use webhooks.",
	},
	"internal-error": {
		status: 500,
		title: "Internal error",
		cause: "Something failed on our side; it was logged with `requestId`.",
		fix: "Repeat the request with the same key; tell support the `requestId` if it persists.",
	},
	"service-unavailable": {
		status: 503,
		title: "Service unavailable",
		cause: "The service cannot take the request now.",
		fix: "Repeat the request with the same key after `Retry-After` seconds.",
	},
	"registry-unavailable": {
		status: 503,
		title: "Registry unavailable",
		cause: "The taxpayer registry is not loaded yet, so the answer is unknown.",
		fix: "Repeat the request after `Retry-After` seconds.",
	},
	"authority-unavailable": {
		status: 504,
		title: "Authority unavailable",
		cause: "The authority did not answer in time; `stored` tells whether the document is kept and will be delivered.",
		fix: "When `stored` is true do not resend; poll the status.",
	},
} as const satisfies Record<string, ProblemEntry>;

export type ProblemSlug = keyof typeof catalogue;
