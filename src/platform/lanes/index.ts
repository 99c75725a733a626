/** Who runs which tenants' messages: 64 shards, shared by the lanes of all processes. */

export { nameNode, startLane } from "./lane";
export { SHARD_COUNT } from "./shard";
export { countUnowned, listShards, releaseNode } from "./store";
