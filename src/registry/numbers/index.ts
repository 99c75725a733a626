/** The exact set of all numbers with their status, for tills. */
export { createNumbersWriter, type NumbersFile, writeNumbersDelta } from "./numbers-file";
