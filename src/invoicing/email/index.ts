/** E-mails with documents: requested, sent to each recipient once, and what becomes of them. */

export type { EmailRecord, QueuedEmail } from "./email";
export { createMailAccepted, mailAccepted } from "./request-email";
export { emailOperations } from "./routes";
export { createSendEmail, openEmailTransports } from "./send-email";
