/** Who runs which tenants' messages: 64 shards, shared by the lanes of all processes. */

export { type Hold, hasEnded, type LaneOptions, nameNode, type OwnHold, openLane } from "./lane";
export { byShard, SHARD_COUNT, shardOf } from "./shard";
export { countUnowned, listFencedSessions, listShards, releaseNode, restartLanes } from "./store";
