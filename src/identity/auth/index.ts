/** Authentication: API keys, access tokens and OAuth clients; the guard that reads them and the endpoints that issue them. */
export type { CreatedApiKey } from "./api-key";
export { retireClients } from "./client";
export { DEMO_CLIENT_ID, DEMO_CLIENT_SECRET, DEMO_KEY, DEMO_KEY_ID, DEMO_RNC, DEMO_TENANT_ID } from "./demo";
export { COPY_LATE_MS, openEdgeAccess } from "./edge-access";
export { findKeyLineage } from "./key-lineage";
export { keyOperations } from "./keys/routes";
export { createLookupCache } from "./lookup-cache";
export { type Access, openAccess } from "./open-access";
export { accessOperations, Jwks } from "./routes";
export { CONFIRMED_MS, DEFAULT_SCOPES, requireConfirmation, requireScope } from "./scope";
export { digestOf } from "./secret";
export { contextOfKey, openSigningKeys, rotateSigningKey } from "./signing-keys";
export { ageTokens, copyKeys, findCompanyIdsOf, findCompanyOwner } from "./store";
