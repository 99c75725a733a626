/** The embedded portal: links with which a provider shows a company's invoices and deliveries inside its own program. */
export { openPortal, type Portal, type PortalDeps } from "./portal";
export { portalOperations } from "./routes";
