/** The bucket cannot keep what is written: the operator must change something. */
export class UnsafeBucketError extends Error {
	constructor(
		readonly bucket: string,
		fault: string,
		cause?: unknown,
	) {
		super(`the archive cannot be kept in the bucket ${bucket}: ${fault}`, { cause });
		this.name = "UnsafeBucketError";
	}
}
