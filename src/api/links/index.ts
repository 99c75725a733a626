/** Short-lived addresses of files, for browsers and programs that cannot send credentials. */
export { linkOperations } from "./links";
