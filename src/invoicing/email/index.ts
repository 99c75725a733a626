/** E-mails with documents: requested, sent to each recipient once, and what becomes of them. */
export { createMailAccepted, EMAIL_KIND, mailAccepted, REQUESTED_EMAIL_KIND } from "./request-email";
export { emailOperations } from "./routes";
export { createSendEmail, openEmailTransports } from "./send-email";
