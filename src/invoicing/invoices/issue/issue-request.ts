/** What issuing needs, and what it is asked. */
import type { AuthorityUrls } from "../../../authority/client";
import type { Signer } from "../../../ecf/signing";
import type { Sql } from "../../../platform/database";
import type { KeyPlace } from "../../../platform/idempotency";
import type { Clock, Environment } from "../../../platform/values";
import type { Registry } from "../../../registry";
import type { Numbering } from "../../sequences";
import type { Scenario } from "../check/scenario";
import type { InvoiceRequest } from "../model/invoice";
import type { Gathered } from "./batched-queries";

export type IssueDeps = {
	readonly sql: Sql;
	readonly signer: Signer;
	readonly registry: Pick<Registry, "lookup" | "isLoaded" | "runId">;
	readonly authorityUrls: AuthorityUrls;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
	readonly gathered: Gathered;
	readonly numbering: Numbering;
};

/** One invoice of a tenant whose form has been checked. */
export type ItemRequest = {
	readonly tenantId: string;
	/** JSON text as received. */
	readonly text: string;
	readonly invoice: InvoiceRequest;
	/** What is to happen to it, in a sandbox. */
	readonly scenario?: Scenario;
};

/** One invoice under an idempotency key. */
export type IssueRequest = ItemRequest & { readonly place: KeyPlace; readonly rawSha256: Uint8Array };
