/** A thread that prints documents, one at a time. */
import { serveJobs } from "../../platform/worker-pool";
import { printDocument } from "./print-document";
import type { PrintJob } from "./print-job";
import { openFonts } from "./write-pdf";

serveJobs<Record<string, never>, PrintJob, Uint8Array>(async () => {
	const opened = openFonts();
	return (job) => printDocument(job, opened);
});
