/** Authentication: API keys, access tokens and OAuth clients; the guard that reads them and the endpoints that issue them. */
export type { CreatedApiKey } from "./api-key";
export { retireClients } from "./client";
export { DEMO_CLIENT_ID, DEMO_KEY, DEMO_KEY_ID, DEMO_TENANT_ID } from "./demo";
export { COPY_LATE_MS, openEdgeAccess } from "./edge-access";
export { findKeyLineage } from "./key-lineage";
export { keyOperations } from "./keys/routes";
export { type Access, openAccess } from "./open-access";
export { accessOperations, Jwks } from "./routes";
export { DEFAULT_SCOPES, requireScope } from "./scope";
export { contextOfKey, openSigningKeys, rotateSigningKey } from "./signing-keys";
export { ageTokens, copyKeys } from "./store";
