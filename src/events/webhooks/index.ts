/** Events of a tenant, their signed deliveries, and what became of them. */

export { createBreaker } from "./circuit-breaker";
export { redispatch } from "./dead-letter";
export { deadLetterOperations } from "./dead-letter-routes";
export { createDeliver, type Delivering } from "./deliver";
export { countUndelivered, type Undelivered } from "./deliveries/store";
export { enqueueEvent, enqueueEvents, type NewEvent } from "./enqueue-event";
export { createProbe, resumeProbe } from "./probe";
export { RETRY_DELAYS_SECONDS } from "./retry-schedule";
export { webhookOperations } from "./routes";
export { signDelivery, signStandard, toDeliveryHeaders, verifySignature } from "./signature";
export { findUndelivered, listDeadLetters } from "./store";
