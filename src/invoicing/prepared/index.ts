/** Prepared invoices: bodies that one caller has checked and stored, and that another one approves. */
export { preparedOperations, settlePrepared } from "./routes";
export { agePrepared, measurePrepared, sweepPrepared } from "./store";
