/** Certification: the test sets that a company passes before it issues with fiscal effect, and who provides the service. */

export { createAdvance } from "./advance";
export { NICHES, sumUp, toLine } from "./build-invoice";
export type { Stage } from "./rehearse";
export { certificationOperations } from "./routes";
export type { Provider } from "./settings";
export { type CertificationDeps, wakeTestSets } from "./step-work";
export { ageTestSets, hasPassedTestSet } from "./store";
