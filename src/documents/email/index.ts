/** Mails with documents: asked for, sent to each recipient once, and what becomes of them. */
export { EMAIL_KIND } from "./request-email";
export { type EmailDeps, emailOperations } from "./routes";
export { createSendEmail, type SendEmailDeps } from "./send-email";
export { type EmailTransports, openEmailTransports } from "./transports";
