/** Holds the deprecations of routes against the changelog: what answers tell and what callers were announced must be the same. */
import type { Operation } from "../../platform/operation";
import { ChangelogError, checkDays } from "./read-changelog";
import type { Changelog, ChangelogEntry } from "./release";

/**
 * Throws a ChangelogError with every difference. An announced endpoint that this process does not serve is none: roles differ, and what
 * is retired may be removed one day.
 */
export function checkDeprecations(operations: readonly Operation[], changelog: Changelog): void {
	const announced = changelog.flatMap(({ entries }) => entries.filter(({ category }) => category === "Deprecated"));
	const faults = operations.flatMap((operation) =>
		checkOne(operation, announced).map((fault) => `${operation.id}: ${fault}`),
	);
	if (faults.length > 0) throw new ChangelogError(faults);
}

function checkOne(operation: Operation, announced: readonly ChangelogEntry[]): string[] {
	const { deprecation, id } = operation;
	const endpoint = `${operation.method} ${operation.path}`;
	const entry = announced.find((one) => (deprecation ? one.id === deprecation.change : one.endpoint === endpoint));
	if (!deprecation) return entry ? [`${entry.id} announces its end, and the route does not tell it`] : [];
	if (!entry) return [`no changelog entry ${deprecation.change} announces its deprecation`];
	const told = { endpoint, operation: id, ...deprecation };
	const differing = (["endpoint", "operation", "deprecatedAt", "sunsetAt", "replacement"] as const).filter(
		(name) => entry[name] !== told[name],
	);
	return [...differing.map((name) => `${name} is not what ${entry.id} announces`), ...checkDays(deprecation)];
}
