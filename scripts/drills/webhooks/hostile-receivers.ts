export const HOSTILE_SETTINGS = {};
export const drillHostileReceivers = async () => ({});
