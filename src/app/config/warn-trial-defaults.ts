/** Settings whose defaults serve a trial: who issues in earnest is told of them at the start, in a sentence each. */

import { isSandbox } from "../../platform/values";
import type { Config } from "./config";
import { SAMPLE_REGISTRY } from "./sections";

/** What is left as a trial has it, in an environment that is none. */
export function listTrialDefaults(
	config: Pick<Config, "environment" | "role" | "registrySource" | "baseUrl" | "mailFrom">,
): string[] {
	if (isSandbox(config.environment)) return [];
	const told: string[] = [];
	if (config.role !== "worker" && config.registrySource === SAMPLE_REGISTRY)
		told.push("REGISTRY_SOURCE is not set: look-ups answer from the sample, whose taxpayers are invented");
	if (config.role !== "registry" && config.baseUrl === undefined) {
		const mails = config.mailFrom === undefined ? ", and mails come from a host that nobody can answer" : "";
		told.push(`BASE_URL is not set: links in answers and documents lead to this machine alone${mails}`);
	}
	return told;
}
