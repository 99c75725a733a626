/** The documentation that every process serves: guides, search, OpenAPI with its explorer, and a page for each problem. */
export { EXPLORER_FILES, EXPLORER_FOLDER } from "./asset-files";
export { codesPageOperations } from "./codes-pages";
export { documentOperations } from "./documents";
export { createGuides } from "./guides";
export { type ExplainedCodes, renderProblemPage } from "./site";
