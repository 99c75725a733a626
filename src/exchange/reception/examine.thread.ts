/**
 * A thread that examines counterparties' documents. It has no database, keys or network, so it can be terminated when an examination takes too
 * long.
 */

import { readTrustedAuthorities } from "../../ecf/verification";
import { serveJobs } from "../../platform/worker-pool";
import type { ExamineJob, ExamineSetup, JobAnswer } from "./examine";
import { examineDocument, examineSeed } from "./examine";

serveJobs<ExamineSetup, ExamineJob, JobAnswer>(async ({ trustedCaFile }) => {
	const authorities = trustedCaFile === undefined ? undefined : readTrustedAuthorities(trustedCaFile);
	return async ({ what, bytes, now }) => {
		const options = { now: new Date(now), authorities };
		return what === "seed" ? { seed: examineSeed(bytes, options) } : { document: examineDocument(bytes, options) };
	};
});
