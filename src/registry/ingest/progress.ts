/** What an ingest tells about itself while it runs. */
export type IngestStep =
	/** For another ingest, or whoever else changes the files, to end. */
	"wait" | "fetch" | "unpack" | "parse" | "build" | "verify" | "compare" | "publish";

export type IngestProgress = {
	readonly step: IngestStep;
	/** Of this step, from 0 to 1; absent while the end is not known. */
	readonly share?: number;
	/** Entries read so far; absent before the first. */
	readonly rows?: number;
};

export type OnProgress = (progress: IngestProgress) => void;
