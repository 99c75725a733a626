/** What several operations on companies share. */
import { Type } from "@sinclair/typebox";

export const TAG = "Companies";
/** Most bytes of a body that may hold a logo and a certificate. */
export const COMPANY_BYTES_MAX = 1024 * 1024;
export const ETAG = { ETag: "The company's version." };

export const idParameter = {
	name: "id",
	in: "path",
	required: true,
	description: "The company's tenant id.",
	schema: Type.String(),
	example: "0192f0a1-b2c3-7d4e-8f00-112233445566",
} as const;
