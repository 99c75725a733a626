/** Command tables and what is made from them, for every program of the project. */
export { type Args, UsageError } from "./arguments";
export type { Language } from "./command-table";
export { writeMarkdownRows } from "./help";
export { ADMIN, type AdminCommand, OPERATOR_PROGRAMS, PROGRAMS } from "./operator-commands";
export { SELLO } from "./sello-commands";
export { takeOrder } from "./take-order";
