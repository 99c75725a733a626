/** What can be answered to a caller besides success. */
export { catalogue, type ProblemSlug } from "./catalogue";
export { type Fault, nameOfSegment, pointerSegment } from "./fault";
export { FAULTS_MAX, Problem, type ProblemOptions } from "./problem";
