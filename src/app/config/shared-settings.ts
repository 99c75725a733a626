/** The settings on which all processes of a deployment must agree. They are stored and shown in clear, so none may hold a secret. */
import { join } from "node:path";
import { readAddress, writeAddress } from "../../archive/settings";
import { idOfKek, nextKekFile, readKek } from "../../platform/secrets";
import { toSourceName } from "../../registry/settings";
import { type Config, SAMPLE_REGISTRY } from "./config";

type SharedSetting = {
	readonly name: string;
	readonly value: string | null;
	readonly also?: readonly (string | null)[];
};

/** Settings that the role uses, by the names of their variables; null for a default that each host has of its own, such as the simulator. */
export function listSharedSettings(config: Config, kekFile: string): SharedSetting[] {
	const { role } = config;
	return [
		{ name: "BASE_URL", value: config.baseUrl ?? null },
		...(role === "worker" ? [] : [{ name: "REGISTRY_SOURCE", value: nameSource(config.registrySource) }]),
		...(role === "registry" ? [] : listInvoicing(config)),
		// While the operator rotates keys, a process knows two.
		{
			name: KEK_SETTING,
			value: readKekId(kekFile),
			also: [readKekId(nextKekFile(kekFile))].filter((id) => id !== null),
		},
	];
}

export const KEK_SETTING = "KEK_FILE";

function listInvoicing({ authorityUrls, archiveUrl, dataDir, provider, role }: Config): SharedSetting[] {
	const { main, fc, status } = authorityUrls ?? {};
	const shared: SharedSetting[] = [
		{ name: "AUTHORITY_URL", value: main ?? null },
		{ name: "AUTHORITY_FC_URL", value: fc === undefined || fc === main ? null : fc },
		{ name: "AUTHORITY_STATUS_URL", value: status === undefined || status === main ? null : status },
		archiveSetting(archiveUrl, dataDir),
	];
	// Only the API shows them.
	if (role === "worker") return shared;
	const environments = provider.environments.map(({ name, baseUrl }) => `${name}=${baseUrl}`).join(" ");
	return [
		...shared,
		{ name: "PROVIDER_RNC", value: provider.rnc },
		{ name: "PROVIDER_NAME", value: provider.name },
		{ name: "PROVIDER_CERTIFICATION", value: provider.certificationNumber },
		{ name: "PROVIDER_CERTIFIED_AT", value: provider.certifiedAt },
		{ name: "PROVIDER_ENVIRONMENTS", value: environments || null },
		{ name: "PROVIDER_EGRESS_IPS", value: provider.egressIps.join(" ") || null },
		{ name: "PROVIDER_SUPPORT_EMAIL", value: provider.supportEmail },
		{ name: "PROVIDER_STATUS_PAGE", value: provider.statusPage },
	];
}

const nameSource = (source: string): string | null => (source === SAMPLE_REGISTRY ? null : toSourceName(source));

/** A process may name the folder that another one of this host has by default. */
function archiveSetting(archiveUrl: string, dataDir: string): SharedSetting {
	const address = readAddress(archiveUrl);
	const name = "ARCHIVE_URL";
	if (address.kind === "s3") return { name, value: writeAddress(address) };
	const folder = writeAddress({ ...address, isImmutable: false });
	return address.folder === join(dataDir, "archive")
		? { name, value: null, also: [folder] }
		: { name, value: folder, also: [null] };
}

function readKekId(file: string): string | null {
	try {
		return idOfKek(readKek(file)).toString("hex");
	} catch {
		return null;
	}
}
