/** Who runs which tenants' messages: 64 shards, shared by the lanes of all processes. */

export { type Hold, type LaneOptions, nameNode, openLane } from "./lane";
export { SHARD_COUNT, shardOf } from "./shard";
export { countUnowned, listShards, releaseNode } from "./store";
