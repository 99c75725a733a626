/** `@sello/sdk`: electronic invoices and the taxpayer registry. */
export { buildInvoice, type DecimalInput, type InvoiceInput, type InvoiceLine } from "./build-invoice";
export type { CallOptions, ClientOptions, Clock } from "./client";
export {
	ApiError,
	AuthenticationError,
	ConflictError,
	ConnectionError,
	NotFoundError,
	PermissionError,
	type Problem,
	RateLimitError,
	RejectedError,
	SelloError,
	ServerError,
	SignatureError,
	TimeoutError,
	ValidationError,
	type Violation,
} from "./errors";
export type * from "./generated";
export type { FileResult, PageResult } from "./results";
export { type FeedEvent, type Invoices, type RequestOptions, Sello, type WaitOptions } from "./sello";
export type { EventStream, StreamOptions } from "./stream";
export type { VerifyOptions, WebhookHeaders } from "./webhooks";
