/** An organisation's identity provider (OpenID Connect) in this process, on a site of its own: the console is at `localhost`. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

export type IdentityProvider = {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** Who signs in next; changeable. Default: a factor is shown now. */
	person: {
		readonly email: string;
		readonly isVerified: boolean;
		readonly name?: string;
		readonly shownSecondsAgo?: number;
	};
	/** Times that a person has shown a factor. */
	readonly logins: () => number;
	/** The only address to which people are sent back. */
	readonly sendBackTo: (callbackUrl: string) => void;
	/** Answers nothing more until it is called with false. */
	readonly goAway: (isAway: boolean) => void;
	readonly stop: () => void;
};

type Options = {
	/** Whether the ID token has the address too; otherwise the user-info endpoint alone. */
	readonly isInToken?: boolean;
};

const CLIENT_ID = "sello";
const CLIENT_SECRET = "client-secret-of-tests";
const SCOPE = "openid email profile";

/** Its page has the links `Enter` and `Cancel`, at `…/enter` and `…/cancel`. */
export async function startIdentityProvider({ isInToken = false }: Options = {}): Promise<IdentityProvider> {
	const { privateKey } = await generateKeyPair("RS256", { extractable: true });
	const jwks = { keys: [{ ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "test" }] };
	let provider: Provider | undefined;
	let isAway = false;
	let logins = 0;
	const server = createServer(async (request, response) => {
		if (isAway || !provider) {
			request.socket.destroy();
			return;
		}
		const [, uid, choice] = /^\/interaction\/([\w-]+)(?:\/(\w+))?/.exec(request.url ?? "") ?? [];
		if (uid === undefined) provider.callback()(request, response);
		else if (choice === undefined) {
			response.setHeader("content-type", "text/html");
			response.end(
				`<h1>Provider</h1><a href="/interaction/${uid}/enter">Enter</a><a href="/interaction/${uid}/cancel">Cancel</a>`,
			);
		} else if (choice === "cancel") await provider.interactionFinished(request, response, { error: "access_denied" });
		else {
			logins++;
			await provider.interactionFinished(request, response, {
				login: {
					accountId: self.person.email,
					ts: Math.floor(Date.now() / 1_000) - (self.person.shownSecondsAgo ?? 0),
				},
			});
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const toProvider = (callbackUrl: string): Provider => {
		const made: Provider = new Provider(issuer, {
			...{ jwks, cookies: { keys: ["cookie-key-of-tests"] }, conformIdTokenClaims: !isInToken },
			clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [callbackUrl] }],
			claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
			features: { devInteractions: { enabled: false } },
			interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
			findAccount: (_: unknown, accountId: string) => ({
				accountId,
				claims: () => ({
					...{ sub: accountId, email: self.person.email, email_verified: self.person.isVerified },
					...(self.person.name === undefined ? {} : { name: self.person.name }),
				}),
			}),
			loadExistingGrant: async ({ oidc }: { readonly oidc: { readonly session: { readonly accountId: string } } }) => {
				const grant = new made.Grant({ clientId: CLIENT_ID, accountId: oidc.session.accountId });
				grant.addOIDCScope(SCOPE);
				await grant.save();
				return grant;
			},
			ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
		});
		return made;
	};
	const self: IdentityProvider = {
		...{ issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
		person: { email: "ana@cliente.example", isVerified: true, name: "Ana Pérez" },
		logins: () => logins,
		sendBackTo: (callbackUrl) => {
			provider = toProvider(callbackUrl);
		},
		goAway: (away) => {
			isAway = away;
		},
		stop: () => server.close(),
	};
	return self;
}
