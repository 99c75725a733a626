/** How people manage their ways to sign in. */
export { factorOperations } from "./routes";
