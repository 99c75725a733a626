/** Mails with documents: asked for, sent to each recipient once, and what becomes of them. */
export { createMailAccepted } from "./mail-accepted";
export { EMAIL_KIND } from "./request-email";
export { emailOperations } from "./routes";
export { createSendEmail } from "./send-email";
export { openEmailTransports } from "./transports";
