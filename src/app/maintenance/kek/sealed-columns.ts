/** Every column that holds a sealed secret, and the place that each of its secrets is sealed for. A test compares the list with the database. */

import { placeOfArchiveKey } from "../../../archive";
import { placeOfSigningKey } from "../../../ecf/signing";
import { secretContextOf } from "../../../events/endpoints";
import { placeOfKey } from "../../../identity/auth";
import { placeOfKeptKey } from "../../../platform/secrets/persistent-keys";

export type SealedColumn = {
	readonly table: string;
	readonly column: string;
	/** The function of the database that writes it, by the only name of its row, where the service itself may not. */
	readonly writtenBy?: string;
	/** From the columns that name it. */
	readonly place: {
		readonly names: readonly string[];
		readonly of: (row: Readonly<Record<string, string>>) => string;
	};
};

const ofEndpoint = {
	names: ["tenant_id", "id"],
	of: ({ tenant_id: tenantId = "", id = "" }: Readonly<Record<string, string>>) => secretContextOf({ tenantId, id }),
};

export const SEALED_COLUMNS: readonly SealedColumn[] = [
	{ table: "kept_keys", column: "sealed_key", place: { names: ["name"], of: ({ name = "" }) => placeOfKeptKey(name) } },
	{
		table: "token_signing_keys",
		column: "sealed_private_key",
		place: { names: ["kid"], of: ({ kid = "" }) => placeOfKey(kid) },
	},
	{
		table: "signing_certificates",
		column: "sealed_key",
		place: {
			names: ["tenant_id", "thumbprint"],
			of: ({ tenant_id: tenantId = "", thumbprint = "" }) => placeOfSigningKey(tenantId, thumbprint),
		},
	},
	{
		table: "archive_keys",
		column: "sealed_private_key",
		writtenBy: "rewrap_archive_key",
		place: { names: ["name"], of: ({ name = "" }) => placeOfArchiveKey(name) },
	},
	{ table: "webhook_endpoints", column: "sealed_secret", place: ofEndpoint },
	{ table: "webhook_endpoints", column: "sealed_next_secret", place: ofEndpoint },
];
