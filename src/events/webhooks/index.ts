/** Telling the tenant: events, their signed deliveries, and what became of them. */

export { DELIVER_KIND, enqueueEvent, enqueueEvents } from "../catalogue/enqueue";
export { type EventName, EXTRA_EVENTS, type NewEvent, SPECIFIED_EVENTS, wantsEvent } from "../catalogue/event";
export { exampleEvent, exampleTest } from "../catalogue/event-examples";
export { EVENT_SCHEMAS, TestEventBody } from "../catalogue/event-schemas";
export { sweepEvents } from "../feed/store";
export { createBreaker } from "./circuit-breaker";
export { redispatch } from "./dead-letter";
export { createDeliver, type DeliveryDeps } from "./deliver";
export { sweepDeliveries } from "./deliveries/store";
export { toDeliveryHeaders } from "./delivery-headers";
export { PROBE_KIND, resumeProbe } from "./recovery/begin";
export { createProbe } from "./recovery/probe";
export { RETRY_DELAYS_SECONDS } from "./retry-schedule";
export { webhookOperations } from "./routes";
export { signDelivery, verifySignature } from "./signature";
export { listDeadLetters } from "./store";
