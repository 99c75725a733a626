import type { ChangeFeed } from "../../platform/changes";
import type { Sql } from "../../platform/database";
import type { Operation, Principal } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Envelope } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Access } from "../auth";
import { factorOperations } from "../factors";
import { type SsoSessions, type SsoSettings, ssoOperations } from "../sso";
import { type TeamSessions, teamOperations } from "../team";
import { isOperatorRole } from "../users";
import { acceptSessions, findCompanyCaller, toPerson } from "./authenticate";
import { type ConsoleAddress, createSessionCookie, createSsoCookie, makeToken, refuseCrossSite } from "./cookie";
import { openSessionDirectory } from "./directory";
import { makeLocalLink } from "./local-user";
import { meOperations } from "./me-routes";
import { sessionOperations, toCookie } from "./routes";
import { confirmBySso, mailRecoveryLink, type SessionDeps, startByMail, startBySso } from "./sign-in";
import { endSessions } from "./store";

export type Sessions = {
	/** As that of access, and takes sessions too. */
	readonly authenticate: Access["authenticate"];
	readonly operations: readonly Operation[];
	/** The caller of a session in force for one of its companies, for a link that acts for the session; undefined otherwise. */
	readonly findCompanyCaller: (sessionId: string, tenantId: string) => Promise<Principal | undefined>;
	/** Drops what this process knows of a person whose rights have changed. */
	readonly forgetPerson: (userId: string) => void;
	/** A new address that signs the person of a local sandbox in, once within a day. */
	readonly makeLocalLink: () => Promise<string>;
	readonly close: () => Promise<void>;
};

/** Follows the changes of sessions and people from here on. */
export function openSessions(deps: {
	readonly sql: Sql;
	/** Connections for credentials. */
	readonly directorySql: Sql;
	readonly changes: ChangeFeed;
	readonly clock: Clock;
	readonly log: Log;
	readonly envelope: Envelope;
	readonly address: ConsoleAddress;
	/** Whether the service listens on this machine's own addresses alone. */
	readonly isLoopback: boolean;
	readonly makeTrialCompany: SessionDeps["makeTrialCompany"];
	/** The organisation's identity provider, where there is one. */
	readonly sso: SsoSettings | undefined;
	readonly authenticate: Access["authenticate"];
	readonly listCompanies: SessionDeps["listCompanies"];
	readonly wake: () => void;
}): Sessions {
	const { sql, clock, log, envelope, address, isLoopback, makeTrialCompany, sso, wake } = deps;
	const listCompanies: SessionDeps["listCompanies"] = (memberships, limit, alsoIds) =>
		// An operator's membership has no owner either, and opens nothing.
		deps.listCompanies(
			memberships.filter(({ role }) => !isOperatorRole(role)),
			limit,
			alsoIds,
		);
	const directory = openSessionDirectory(deps);
	const cookie = createSessionCookie(address);
	const { hostname, origin } = new URL(address.url);
	const party = { id: hostname, name: "Sello", origin };
	const shared = {
		...{ sql, clock, log, envelope, address, party, cookie, directory, isLoopback, makeTrialCompany, sso },
		listCompanies,
		wake,
	};
	const people = { ...shared, consoleUrl: address.url };
	return {
		authenticate: acceptSessions({ authenticate: deps.authenticate, directory, cookie, address, clock }),
		operations: [
			...sessionOperations(shared),
			...meOperations(shared),
			...factorOperations({ ...people, environment: address.environment, endSessions, forget: directory.forget }),
			...teamOperations({ ...people, sessions: toTeamSessions(shared) }),
			...ssoOperations({
				...{ ...people, environment: address.environment, settings: sso },
				sessions: toSsoSessions(shared),
			}),
		],
		findCompanyCaller: (sessionId, tenantId) => findCompanyCaller({ directory, address, clock }, sessionId, tenantId),
		forgetPerson: (userId) => directory.forget({ userId }),
		makeLocalLink: async () => `${address.url}/console/enter#${await makeLocalLink(sql, clock.now())}`,
		close: directory.close,
	};
}

function toTeamSessions(deps: SessionDeps): TeamSessions {
	const { address, cookie, directory, envelope } = deps;
	return {
		makeToken,
		findPerson: async (request) => {
			refuseCrossSite(request, address);
			const token = cookie.read(request);
			if (token === undefined) return undefined;
			const known = await directory.find(token);
			return known && { userId: known.user.id };
		},
		start: async (tx, call, user) => toCookie(deps, call, await startByMail(deps, call, tx, user)),
		endAll: endSessions,
		mailRecoveryLink: (tx, user, now) => mailRecoveryLink(tx, { envelope, consoleUrl: address.url }, user, now),
		forget: directory.forget,
	};
}

function toSsoSessions(deps: SessionDeps): SsoSessions {
	const { address, cookie, directory, wake } = deps;
	return {
		cookie: createSsoCookie(address),
		findPerson: async (request) => {
			refuseCrossSite(request, address);
			const token = cookie.read(request);
			const known = token === undefined ? undefined : await directory.find(token);
			if (!known) throw new Problem("session-expired");
			return toPerson(known);
		},
		start: async (tx, call, user, confirmedAt) =>
			toCookie(deps, call, await startBySso(deps, call, tx, user, confirmedAt)),
		confirm: async (call, sessionId, email) => {
			const started = await confirmBySso(deps, call, sessionId, email);
			return started && toCookie(deps, call, started);
		},
		forget: directory.forget,
		wake,
	};
}
