/** How often a caller may do something: by plan, counted once for all processes. */
export { type CallLimit, createCallLimit } from "./call-limit";
export { POLLS, WEBHOOK_TESTS } from "./policy";
export { limitHeaders } from "./rate-headers";
export { tellLimit } from "./tell-limit";
