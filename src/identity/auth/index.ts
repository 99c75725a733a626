/** Who is calling: API keys, access tokens and the companies' clients; the guard that reads them, the endpoint that gives them. */
export type { CreatedApiKey } from "./api-key";
export { DEMO_CLIENT_ID, DEMO_KEY, DEMO_KEY_ID, DEMO_TENANT_ID } from "./demo";
export { findKeyLineage } from "./key-lineage";
export { type Access, openAccess } from "./open-access";
export { DEFAULT_SCOPES, requireScope } from "./scope";
export { placeOfKey, rotateSigningKey } from "./signing-keys";
export { ageTokens } from "./store";
