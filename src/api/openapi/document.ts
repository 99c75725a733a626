/** Types of the OpenAPI document, and its versions. Source: OpenAPI Specification 3.1.0, section 4. */
import type { Language } from "../../platform/problem";

/** A schema of JSON Schema 2020-12, as plain JSON. */
export type SchemaObject = { readonly [keyword: string]: unknown };
export type Reference = { readonly $ref: string };

export type ExampleObject = { readonly summary: string; readonly description?: string; readonly value: unknown };

export type MediaType = {
	readonly schema?: SchemaObject;
	readonly example?: unknown;
	readonly examples?: Readonly<Record<string, ExampleObject | Reference>>;
};
export type Content = Readonly<Record<string, MediaType>>;

export type HeaderObject = { readonly description: string; readonly schema: SchemaObject };

export type ResponseObject = {
	readonly description: string;
	readonly headers?: Readonly<Record<string, HeaderObject | Reference>>;
	readonly content?: Content;
};

export type ParameterObject = {
	readonly name: string;
	readonly in: string;
	readonly required: boolean;
	readonly description: string;
	readonly schema: SchemaObject;
	readonly example?: unknown;
};

/** Security schemes that are required together, each with its scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export type OperationObject = {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description?: string;
	readonly deprecated?: true;
	readonly security: readonly SecurityRequirement[];
	readonly "x-scope"?: string;
	/** The method in the client libraries, as in `invoices.create`. */
	readonly "x-sdk"?: string;
	/** Read by documentation tools of others. Source: Redocly's `x-codeSamples`. */
	readonly "x-codeSamples"?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
	readonly parameters?: readonly ParameterObject[];
	readonly requestBody?: { readonly required: boolean; readonly content: Content };
	/** Answers that other operations share are references. */
	readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
};

/** A request that we send. */
export type WebhookObject = {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description: string;
	readonly security: readonly SecurityRequirement[];
	readonly parameters: readonly Reference[];
	readonly requestBody: { readonly required: true; readonly content: Content };
	readonly responses: Readonly<Record<string, ResponseObject>>;
};

export type OpenApiDocument = {
	readonly openapi: "3.1.0";
	readonly info: { readonly title: string; readonly version: string; readonly description: string };
	/** Version of the identity-validation area, which has versions of its own. */
	readonly "x-identity-version": string;
	readonly servers: readonly { readonly url: string }[];
	readonly externalDocs: { readonly url: string; readonly description: string };
	readonly tags: readonly { readonly name: string; readonly description?: string }[];
	readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
	/** By event name; absent in processes that send nothing. */
	readonly webhooks?: Readonly<Record<string, { readonly post: WebhookObject }>>;
	readonly components: {
		readonly parameters?: Readonly<Record<string, ParameterObject>>;
		readonly schemas: Readonly<Record<string, SchemaObject>>;
		readonly responses: Readonly<Record<string, ResponseObject>>;
		readonly examples: Readonly<Record<string, ExampleObject>>;
		readonly headers: Readonly<Record<string, HeaderObject>>;
		readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	};
};

export type OpenApiDeps = {
	readonly baseUrl: string;
	/** Of summaries, descriptions and problems. Default: English. */
	readonly language?: Language;
};

/** Versions of the invoicing API and of the identity-validation area. */
export const INVOICING_VERSION = "0.1.0-dev";
export const IDENTITY_VERSION = "1.3.0";
