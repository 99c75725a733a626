/** The Model Context Protocol: tools for agents, each of which calls one of the service's operations. */
export { mcpOperation } from "./operation";
