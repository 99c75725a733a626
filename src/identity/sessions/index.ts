/** Sessions of the console: how people sign in, and a cookie in place of key and token. */
export { makeLocalLink, removeTrialUser } from "./local-user";
export { meOperations } from "./me-routes";
export { openSessions, type Sessions } from "./open-sessions";
export { disablePerson, endPersonsSessions, invitePerson, resetPerson } from "./operate";
export { sessionOperations } from "./routes";
export { sweepSessions } from "./store";
