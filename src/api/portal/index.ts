/** The embedded portal: links with which a provider shows a company's invoices and deliveries inside its own program. */
export { openPortal, type Portal } from "./portal";
export { type PortalRoutesDeps, portalOperations } from "./routes";
