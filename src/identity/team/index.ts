/** Teams: who sees the companies of an owner, and invitations. */
export { acceptOpenInvitations, type TeamSessions } from "./manage";
export { teamOperations } from "./routes";
