/** How a company's invoicing stands: what needs a person, and the figures of some days. */
export { overviewOperations } from "./routes";
