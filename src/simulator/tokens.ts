/** Access tokens: HS256, opaque to callers. They name the certificate's holder, not the issuer. */
import { errors, jwtVerify, SignJWT } from "jose";
import { newId } from "../platform/values";
import type { Certificate } from "./validation/signature";

const NAME_CLAIM = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name";
const ISSUER = "SIMULATOR.FE";
const AUDIENCE = "USUARIOS.SIMULATOR.FE";

export type IssuedToken = { readonly token: string; readonly issuedAt: Date; readonly expiresAt: Date };

export type TokenIssuer = {
	readonly issue: (certificate: Certificate, now: Date) => Promise<IssuedToken>;
	/** Thumbprint of the certificate that a token was issued for; undefined if the token is forged or expired. */
	readonly read: (token: string) => Promise<string | undefined>;
};

const READ_MAX = 1_000;

export function createTokenIssuer(secret: Uint8Array, tokenSeconds: number): TokenIssuer {
	/** Tokens with a valid signature, which only their expiry can end. */
	const read = new Map<string, { readonly thumbprint: string; readonly fromMs: number; readonly untilMs: number }>();
	return {
		issue: async (certificate, now) => {
			const issuedSeconds = Math.floor(now.getTime() / 1000);
			const token = await new SignJWT({ [NAME_CLAIM]: certificate.holder, thumbprint: certificate.thumbprint })
				.setProtectedHeader({ alg: "HS256", typ: "JWT" })
				.setJti(newId())
				.setNotBefore(issuedSeconds)
				.setExpirationTime(issuedSeconds + tokenSeconds)
				.setIssuer(ISSUER)
				.setAudience(AUDIENCE)
				.sign(secret);
			const at = (seconds: number) => new Date(seconds * 1000);
			return { token, issuedAt: at(issuedSeconds), expiresAt: at(issuedSeconds + tokenSeconds) };
		},
		read: async (token) => {
			const known = read.get(token);
			if (known) return known.fromMs <= Date.now() && Date.now() < known.untilMs ? known.thumbprint : undefined;
			try {
				const rules = { algorithms: ["HS256"], issuer: ISSUER, audience: AUDIENCE };
				const { payload } = await jwtVerify(token, secret, rules);
				const { thumbprint, nbf, exp } = payload;
				if (typeof thumbprint !== "string") return undefined;
				if (read.size >= READ_MAX) read.clear();
				if (nbf !== undefined && exp !== undefined) {
					read.set(token, { thumbprint, fromMs: nbf * 1000, untilMs: exp * 1000 });
				}
				return thumbprint;
			} catch (error) {
				if (error instanceof errors.JOSEError) return undefined;
				throw error;
			}
		},
	};
}
