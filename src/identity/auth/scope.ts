/** Scopes of credentials. */
import { type Principal, SCOPES, type Scope } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";

/** A key's default scopes: erasing registry records and operating the service must be granted by name. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((s) => s !== "registry:purge" && s !== "admin");

/** The scopes in a text, each once, in order. Source: RFC 6749, 3.3. */
export function splitScope(text: string): string[] {
	return [...new Set(text.split(" ").filter((part) => part !== ""))];
}

export function intersect(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
	return new Set([...left].filter((scope) => right.has(scope)));
}

/** Passes callers with the scope. Throws: insufficient-scope with `requiredScopes`. */
export function requireScope(principal: Principal, scope: Scope): void {
	if (principal.scopes.has(scope)) return;
	throw lackOfScopes([scope], msg`The operation needs the scope ${scope}.`);
}

/** How long a factor counts that a person has shown. */
export const CONFIRMED_MS = 10 * 60_000;

/**
 * Refuses a session whose person has shown no factor lately. A person without a factor, as in a local sandbox, has none to show. Throws:
 * confirmation-required.
 */
export function requireConfirmation({ person }: Principal, now: Date): void {
	if (person?.hasFactor && now.getTime() - person.confirmedAt.getTime() >= CONFIRMED_MS)
		throw new Problem("confirmation-required");
}

/** The refusal that names the missing scopes. */
export function lackOfScopes(scopes: readonly string[], detail: Message): Problem {
	return new Problem("insufficient-scope", {
		detail,
		extensions: { requiredScopes: scopes },
		// Source: RFC 6750, 3.1.
		headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` },
	});
}
