/** Every answer to a caller besides success. */
export { catalogue, type ProblemSlug } from "./catalogue";
export { FAULTS_MAX, type Fault, nameOfSegment, Problem, type ProblemOptions, pointerSegment } from "./problem";
