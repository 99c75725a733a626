/** Teams: who sees the companies of an owner, and invitations. */
export type { TeamSessions } from "./manage";
export { teamOperations } from "./routes";
