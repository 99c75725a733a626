/**
 * Every problem that the service can answer, by slug. The `type` of a problem document ends in the slug, and `/errors/<slug>` shows this text.
 *
 * Gap: the specification names eleven slugs. The others are ours, for statuses that it lists without a slug or not at all.
 *
 * To add a problem:
 *
 * 1. Add an entry to `catalogue`, and its texts in Spanish to `data/i18n/es.json`.
 * 2. List the slug in `problems` of each operation that answers it (`src/platform/operation/operation.ts`). Problems of the guard and the server
 *    are added for all operations in `src/api/openapi/problems.ts`.
 * 3. If the default text is not enough, add an example to `src/api/openapi/problem-examples.ts`. OpenAPI and `/errors` follow.
 */
type ProblemEntry = {
	readonly status: number;
	readonly title: string;
	/** What happened; the default `detail`. */
	readonly cause: string;
	/** What the caller can do. */
	readonly fix: string;
};

export const catalogue = {
	"malformed-json": {
		status: 400,
		title: "Malformed JSON",
		cause: "The body is not a JSON document in valid UTF-8.",
		fix: "Send one JSON document in UTF-8, without duplicate members or lone surrogates.",
	},
	"validation-error": {
		status: 400,
		title: "Validation failed",
		cause: "One or more members, headers or parameters are invalid. `errors` lists each with a pointer.",
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
		cause: "Without hyphens, the number does not have 9 or 11 digits.",
		fix: "Send an RNC of 9 or 11 digits or a Cédula of 11 digits.",
	},
	"unsupported-grant-type": {
		status: 400,
		title: "Unsupported grant type",
		cause: "`grant_type` is neither client_credentials nor refresh_token.",
		fix: "Use one of these two grant types.",
	},
	"invalid-scope": {
		status: 400,
		title: "Invalid scope",
		cause: "A requested scope is unknown or is not granted to the client.",
		fix: "Request only scopes that the client has.",
	},
	unauthorised: {
		status: 401,
		title: "Unauthorised",
		cause:
			"A credential is missing, invalid, expired or revoked; its allow-list does not include your address; or your two credentials do not belong together.",
		fix: "Send a valid API key and, where required, a bearer token of the same tenant.",
	},
	"company-required": {
		status: 400,
		title: "Company required",
		cause: "A session opens several companies, and the request names none.",
		fix: "Send the company's id in `X-Company`.",
	},
	"sign-in-failed": {
		status: 401,
		title: "Sign-in failed",
		cause: "The account and what was shown to open it do not fit.",
		fix: "Try again, or ask for a recovery link.",
	},
	"session-expired": {
		status: 401,
		title: "Session expired",
		cause: "The session has ended or is unknown.",
		fix: "Sign in again.",
	},
	"totp-required": {
		status: 401,
		title: "Code required",
		cause: "The password is right, and the account also needs the code of an authenticator app.",
		fix: "Send the request again with the code in `totp`.",
	},
	"cross-site-request": {
		status: 403,
		title: "Cross-site request",
		cause: "The request came with a session's cookie from a page that is not the console's.",
		fix: "Call the API with a key and a token, or from the console's own pages.",
	},
	"confirmation-required": {
		status: 403,
		title: "Confirmation required",
		cause: "The operation needs a factor that was shown in the last ten minutes.",
		fix: "Call `POST /v1/session/confirm`, then send the request again.",
	},
	"sign-in-throttled": {
		status: 429,
		title: "Too many attempts",
		cause: "Too many attempts to sign in with this address have failed.",
		fix: "Wait for `Retry-After` seconds, or sign in with a passkey.",
	},
	"insufficient-scope": {
		status: 403,
		title: "Insufficient scope",
		cause: "The credential is valid but lacks a scope that the operation requires.",
		fix: "Request a token with the scopes in `requiredScopes`, and send a key that has them too.",
	},
	forbidden: {
		status: 403,
		title: "Forbidden",
		cause: "The credential does not permit this request.",
		fix: "Use a credential of the resource's owner with sufficient rights.",
	},
	"email-not-invited": {
		status: 403,
		title: "Invitation for another address",
		cause: "The invitation is for another e-mail address than that of the person who is signed in.",
		fix: "Sign out and open the link again, or ask for an invitation of your own address.",
	},
	"not-found": {
		status: 404,
		title: "Not found",
		cause: "There is no resource at this address that you can access.",
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
		cause: "The resource does not support this method. `Allow` lists the methods that it supports.",
		fix: "Use one of the methods in `Allow`.",
	},
	"not-acceptable": {
		status: 406,
		title: "Not acceptable",
		cause: "No representation matches `Accept`.",
		fix: "Send `Accept: application/json`, or omit the header.",
	},
	"company-already-exists": {
		status: 409,
		title: "Company already exists",
		cause: "The RNC is already registered in this environment.",
		fix: "Use the existing company. If it is yours, `tenantId` identifies it, and `POST /v1/company/{tenantId}/credentials` gives it new credentials.",
	},
	"last-key": {
		status: 409,
		title: "Last full key",
		cause: "No other key of the owner has the scopes of this key, opens all companies and lasts as long.",
		fix: "Create such a key first, or replace this one with `POST /v1/api-keys/{id}/rotate`. The operator can end it.",
	},
	"last-owner": {
		status: 409,
		title: "Last owner",
		cause: "The team would be without an owner of all its companies.",
		fix: "Make another member the owner first.",
	},
	"member-already-exists": {
		status: 409,
		title: "Member already exists",
		cause: "A person with this e-mail address is a member of the team.",
		fix: "Change the member's role or companies instead.",
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
		cause: "Numbers of the range are already registered, used, leased or voided.",
		fix: "Choose a different range. `errors` lists the conflicting numbers.",
	},
	"duplicate-document": {
		status: 409,
		title: "Duplicate document",
		cause: "The document was already received, or another document has its number.",
		fix: "Do not send it again. `detail` says which of the two applies.",
	},
	"approval-already-decided": {
		status: 409,
		title: "Approval already decided",
		cause: "The company or the authority has already made a final decision on this document.",
		fix: "The decision cannot be changed. `detail` says whose decision it is.",
	},
	"prepared-invoice-decided": {
		status: 409,
		title: "Prepared invoice already decided",
		cause:
			"The prepared invoice was issued or rejected, or 24 hours have passed. `preparedStatus` says which; `docId` names the document.",
		fix: "Do not decide it again. If it was rejected or has expired, prepare a new one.",
	},
	"prepared-invoice-limit": {
		status: 409,
		title: "Too many prepared invoices",
		cause: "The company has as many prepared invoices waiting as it may have. `maximum` states how many.",
		fix: "Approve or reject some of them, then prepare this one.",
	},
	"test-set-final": {
		status: 409,
		title: "Test set is final",
		cause: "The test set has ended or has used all its runs, so you can neither cancel nor retry it.",
		fix: "Read the set: only a failed set can be run again, `maxRuns` times in all. Otherwise start a new set.",
	},
	"export-limit-reached": {
		status: 409,
		title: "Export limit reached",
		cause:
			"The company has reached its limit of exports. `counted` says whether it counts exports in progress or exports kept for download; `limit` is the number.",
		fix: "Wait until an export is ready or has expired, then order again.",
	},
	"endpoint-retired": {
		status: 410,
		title: "Endpoint retired",
		cause: "The endpoint was deprecated, and its last day, `sunsetAt`, has passed.",
		fix: "Use `replacement`, or the successor that `/changelog` names. Earlier answers announced this with `Deprecation` and `Sunset`.",
	},
	"cursor-expired": {
		status: 410,
		title: "Cursor expired",
		cause: "The cursor is older than the data that is kept, or its position no longer exists, as after a restore.",
		fix: "Start again without `after`.",
	},
	"link-expired": {
		status: 410,
		title: "Link expired",
		cause: "The link has expired or was revoked, or its target has been deleted.",
		fix: "Order the target again, for example an export with `POST /v1/archive/exports`, or create a new link.",
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
		fix: "Send a smaller body.",
	},
	"unsupported-media-type": {
		status: 415,
		title: "Unsupported media type",
		cause: "The operation does not accept the media type or encoding of the body.",
		fix: "Send `application/json; charset=utf-8`, uncompressed or compressed with gzip or zstd.",
	},
	"range-not-satisfiable": {
		status: 416,
		title: "Range not satisfiable",
		cause: "`Range` requests bytes beyond the end of the file. `Content-Range` states the file's length.",
		fix: "Request a range within the file, or omit `Range`.",
	},
	"mathematical-discrepancy": {
		status: 422,
		title: "Totals do not match",
		cause: "The lines do not add up to the totals, or subtotal plus tax does not equal the grand total.",
		fix: "Correct the amounts that `errors` names.",
	},
	"known-rejection": {
		status: 422,
		title: "Certain to be rejected",
		cause:
			"The authority is certain to reject the document, so it was not issued. Nothing was stored, and no number was used.",
		fix: "Correct what `errors` names. To send it all the same, repeat the request with `Prefer: handling=lenient`.",
	},
	"tenant-config-missing": {
		status: 422,
		title: "Tenant configuration missing",
		cause:
			"The company cannot issue yet. `missing` says why: `rnc`, `certificate`, `sequence` (its numbers have expired), `certification` (no passed test set of all types), or `active` (the company is suspended).",
		fix: "Complete the company and repeat the request with the same key. Only the operator of the service can reactivate a suspended company.",
	},
	"authority-rejected": {
		status: 422,
		title: "Rejected by the authority",
		cause: "The authority rejected the document. `authorityCode` is the authority's code.",
		fix: "See `fix` and the authority's message.",
	},
	"company-rnc-mismatch": {
		status: 422,
		title: "Company RNC mismatch",
		cause: "`company.rnc` is not the RNC of the token's tenant.",
		fix: "Use the token of the issuing company.",
	},
	"document-buyer-mismatch": {
		status: 422,
		title: "Document belongs to another buyer",
		cause: "The document's buyer is not the company of the token.",
		fix: "Import the document with the token of its buyer.",
	},
	"prepared-invoice-changed": {
		status: 422,
		title: "Prepared invoice changed",
		cause: "`sha256` is not the digest of the body that is stored.",
		fix: "Read the prepared invoice again, look at it, and approve it with its own `sha256`.",
	},
	"password-weak": {
		status: 422,
		title: "Password too weak",
		cause: "The password is too easy to guess. `detail` says why.",
		fix: "Choose another password, such as four words that do not belong together.",
	},
	"passkey-invalid": {
		status: 422,
		title: "Passkey not accepted",
		cause:
			"What the browser sent is no passkey for this service, is a person's already, or answers a request that is over.",
		fix: "Begin again with new options.",
	},
	"idempotency-key-reused": {
		status: 422,
		title: "Idempotency key reused",
		cause: "The idempotency key was already used with a different payload.",
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
		cause: "The registered sequences have no numbers left.",
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
	"certificate-untrusted": {
		status: 422,
		title: "Certificate untrusted",
		cause: "The certificate does not lead to an authority that the operator trusts.",
		fix: "Upload a certificate for signing that an accredited entity has issued to a person.",
	},
	"webhook-url-not-allowed": {
		status: 422,
		title: "Webhook URL not allowed",
		cause: "Webhooks may not be sent to this URL.",
		fix: "Use a public https address. In a sandbox, the operator may list a local receiver in WEBHOOK_ALLOW.",
	},
	"webhook-not-configured": {
		status: 422,
		title: "Webhook not configured",
		cause: "The company has no webhook endpoint.",
		fix: "Add an endpoint to the company.",
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
		cause: "The company already has an active test set. `id` identifies it.",
		fix: "Wait for it to finish, or cancel it: `POST /v1/check-set-tests/{id}/idCompany/{idCompany}/cancel`.",
	},
	"approval-not-required": {
		status: 422,
		title: "Approval not required",
		cause: "Documents of this type do not take approvals.",
		fix: "Do not send an approval.",
	},
	"export-too-large": {
		status: 422,
		title: "Export too large",
		cause: "The order covers more than `documentsMax` documents or more than `bytesMax` bytes.",
		fix: "Order several smaller exports.",
	},
	"history-not-available": {
		status: 422,
		title: "History not available",
		cause:
			"The day is before the registry's history begins, or before what your plan shows. `history_begins` is its first day.",
		fix: "Send a later day.",
	},
	"watchlist-has-source": {
		status: 409,
		title: "Watchlist is filled from documents",
		cause: "The numbers of this watchlist come from the documents of its company each night. `source` says which.",
		fix: "Send your own numbers to a watchlist without `source`.",
	},
	"watchlist-limit": {
		status: 422,
		title: "Watchlist limit reached",
		cause: "Your plan allows no more watchlists or watched numbers. `maximum` states how many.",
		fix: "Remove a watchlist or numbers, or ask for a wider plan.",
	},
	"list-unreadable": {
		status: 422,
		title: "List unreadable",
		cause: "The list cannot be read. `errors` names the row, the column and what was found.",
		fix: "Send a CSV, TSV or XLSX file with a column of numbers or of names.",
	},
	"headers-too-large": {
		status: 431,
		title: "Request headers too large",
		cause: "The headers of the request exceed `limitBytes`.",
		fix: "Send fewer or shorter headers.",
	},
	"rate-limit-exceeded": {
		status: 429,
		title: "Rate limit exceeded",
		cause: "You have reached a rate limit of your plan. `policy` names it; `limit` and `windowSeconds` state its size.",
		fix: "Wait `Retry-After` seconds. `RateLimit` on every answer states what is left.",
	},
	"registry-harvest-limit": {
		status: 429,
		title: "Registry harvest limit reached",
		cause:
			"Searches and suggestions have shown you as many distinct entries today as your plan allows. `maximum` states how many.",
		fix: "Continue tomorrow (UTC), look entries up by number, or ask for downloads.",
	},
	"polling-limit-exceeded": {
		status: 429,
		title: "Polling limit exceeded",
		cause: "You have used all status polls of your plan for this hour. A batch or an event request counts as one poll.",
		fix: "Wait `Retry-After` seconds. Then poll every 30 seconds, query many documents in one batch, or use webhooks.",
	},
	"internal-error": {
		status: 500,
		title: "Internal error",
		cause: "Something failed on our side. We logged it under `requestId`.",
		fix: "Repeat the request with the same key. If it keeps failing, send support the `requestId`.",
	},
	"service-unavailable": {
		status: 503,
		title: "Service unavailable",
		cause: "The service cannot handle the request now.",
		fix: "Repeat the request with the same key after `Retry-After` seconds.",
	},
	"archive-unavailable": {
		status: 503,
		title: "Archive unavailable",
		cause:
			"The document is some days old, so its content is in the archive's store, which does not answer now. Its status can be read.",
		fix: "Repeat the request after `Retry-After` seconds.",
	},
	"clock-skew": {
		status: 503,
		title: "Clock skew",
		cause:
			"The service's clock differs from the authority's by more than 5 minutes, so a signature would state a wrong time. Nothing was signed or stored, and no number was used.",
		fix: "Repeat the request with the same key after `Retry-After` seconds. Operators: set the clock of the database's machine.",
	},
	"durability-lost": {
		status: 503,
		title: "Durability lost",
		cause:
			"No second database server confirms what is stored, and this service is set to issue nothing then. Nothing was signed or stored, and no number was used.",
		fix: "Repeat the request with the same key after `Retry-After` seconds. Operators: bring the synchronous standby back.",
	},
	"sequence-reconciling": {
		status: 503,
		title: "Sequence reconciling",
		cause:
			"Another database server has taken over. Until every process has stored again what it acknowledged before, no number is given. If a process was lost with the server, an operator compares the numbers with the authority first. Nothing was signed or stored.",
		fix: "Repeat the request with the same key after `Retry-After` seconds. Operators: run `admin fleet reconcile` if the log names lost processes.",
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
		cause: "The authority did not answer in time. `stored` says whether the document is stored and will be delivered.",
		fix: "If `stored` is true, do not send the document again; poll its status.",
	},
} as const satisfies Record<string, ProblemEntry>;

export type ProblemSlug = keyof typeof catalogue;
