/** Nodes without a database: what they read from the store, and who writes it. */
export { type EdgeFollower, followStore } from "./follow";
export { startEdgePublisher } from "./publish";
