/** What tests use of the package, which has no types of its own. Source: its documentation, 9.x. */
declare module "oidc-provider" {
	import type { IncomingMessage, ServerResponse } from "node:http";
	export default class Provider {
		constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
		callback(): (request: IncomingMessage, response: ServerResponse) => void;
		interactionFinished(
			request: IncomingMessage,
			response: ServerResponse,
			result: Readonly<Record<string, unknown>>,
		): Promise<void>;
		readonly Grant: new (of: {
			readonly clientId: string;
			readonly accountId: string;
		}) => { addOIDCScope(scope: string): void; save(): Promise<string> };
	}
}
