/** Webhook endpoints: where a tenant wants to be told, of what, and with which secrets. */

export { type EventName, EXTRA_EVENTS, SPECIFIED_EVENTS, wantsEvent } from "../catalogue/event-names";
export { addEndpoint, checkEndpointUrls } from "./add-endpoint";
export type { ResumeProbe } from "./change-endpoint";
export { checkEndpointCount, findTooManyEndpoints } from "./check-count";
export { DEFAULT_EVENTS, EndpointRequest, type WebhookEndpoint } from "./endpoint";
export { type ListedEndpoint, replaceEndpoints } from "./replace-endpoints";
export { endpointOperations } from "./routes";
export { type CurrentSecrets, currentSecrets, openEndpointSecrets, placeOfEndpointSecret } from "./secret";
export {
	ageProbes,
	beginProbes,
	countCompanyVersion,
	disableEndpoint,
	endProbe,
	findEndpoints,
	findSubscriptions,
	getEndpoint,
	listEndpoints,
	listEndpointsOf,
	lockCompany,
	lockEndpoint,
	lockProbed,
	updateProbe,
} from "./store";
