/** Webhook endpoints: URLs, subscriptions and signing secrets of a tenant. */

export {
	addEndpoint,
	checkEndpointCount,
	checkEndpointUrls,
	findTooManyEndpoints,
	type ResumeProbe,
} from "./change-endpoint";
export { DEFAULT_EVENTS, EndpointRequest, isMuted, type WebhookEndpoint } from "./endpoint";
export { forOwners } from "./owner-operations";
export { type ListedEndpoint, replaceEndpoints } from "./replace-endpoints";
export { endpointOperations } from "./routes";
export { type CurrentSecrets, currentSecrets, openEndpointSecrets, secretContextOf } from "./secret";
export {
	ageProbes,
	beginProbes,
	countCompanyVersion,
	disableEndpoint,
	type EndpointPlace,
	endProbe,
	findEndpoints,
	findSubscriptions,
	getEndpoint,
	listEndpoints,
	listEndpointsOf,
	lockCompany,
	lockEndpoint,
	lockProbed,
	type Subscription,
	updateProbe,
} from "./store";
