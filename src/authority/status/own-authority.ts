/** Which of the authority's environments a service is there for, whatever its companies have got to. */

import type { Environment } from "../../platform/values";
import type { AuthorityEnvironment } from "../client";

const own: Readonly<Record<Environment, AuthorityEnvironment>> = {
	production: "production",
	staging: "certification",
	sandbox: "test",
	"public-sandbox": "test",
};

/** It is watched from the first moment, and shown to anybody. Gap: companies that issue elsewhere see theirs with their credentials. */
export function ownAuthorityOf(environment: Environment): AuthorityEnvironment {
	return own[environment];
}
