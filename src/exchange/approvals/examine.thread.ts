/** A thread that examines strangers' approvals. It has no database, no keys and no network: one that takes too long is ended with it. */
import { readTrustedAuthorities } from "../../ecf/verification";
import { serveJobs } from "../../platform/worker-pool";
import type { ExamineJob, ExamineSetup } from "./examine";
import { type ExaminedApproval, examineApproval } from "./examine";

serveJobs<ExamineSetup, ExamineJob, ExaminedApproval>(async ({ trustedCaFile }) => {
	const authorities = trustedCaFile === undefined ? undefined : readTrustedAuthorities(trustedCaFile);
	return async ({ bytes, now }) => examineApproval(bytes, { now: new Date(now), authorities });
});
