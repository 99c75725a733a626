/** Signing in at the organisation's own identity provider. */
export type { SsoSettings } from "./issuer";
export { type SsoSessions, ssoOperations } from "./routes";
