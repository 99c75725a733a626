export const drillSsrf = async () => ({});
