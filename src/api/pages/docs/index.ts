/** The documentation that every process serves: OpenAPI, the documentation page with its files, and a page for each problem. */
export { documentOperations } from "./documents";
