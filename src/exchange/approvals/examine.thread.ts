/**
 * A thread that examines counterparties' approvals. It has no database, keys or network, so it can be terminated when an examination takes too
 * long.
 */
import { readTrustedAuthorities } from "../../ecf/verification";
import { serveJobs } from "../../platform/worker-pool";
import type { ExamineJob, ExamineSetup } from "./examine";
import { type ExaminedApproval, examineApproval } from "./examine";

serveJobs<ExamineSetup, ExamineJob, ExaminedApproval>(async ({ trustedCaFile }) => {
	const authorities = trustedCaFile === undefined ? undefined : readTrustedAuthorities(trustedCaFile);
	return async ({ bytes, now }) => examineApproval(bytes, { now: new Date(now), authorities });
});
