/**
 * Operator's commands against the database of the configuration, the embedded one of a running service included.
 * `--json` on each prints the result as one JSON document.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openAccess } from "../src/access";
import { extendRetention, getArchiveObject, openArchive, openSealed } from "../src/archive";
import { operatorActor } from "../src/audit";
import { announce, matchCallers, readChangelog } from "../src/changelog";
import { changeStatus, findAllCompanies, type StatusChange } from "../src/companies";
import { type Config, readConfig } from "../src/config";
import {
	checkEnvironment,
	connect,
	findEmbeddedUrl,
	findEnvironment,
	findServiceUrl,
	isConnectionFailure,
	type Sql,
} from "../src/database";
import { explainFailure } from "../src/explain-failure";
import { checkInForce, KekNotInForceError, keepTombstonePepper, rotateKek } from "../src/key-encryption";
import { isMailAddress } from "../src/mail";
import { PLANS, SCOPES, type Scope } from "../src/operation";
import { listRuns, RollbackError, runIngest, runRollback, toSourceName } from "../src/registry";
import { rebuildReports, verifyReports } from "../src/reports";
import { createEnvelope, nextKekFile, readKek, readOrMakeKek } from "../src/secrets";
import { createLog } from "../src/telemetry";
import { findOperationCallers } from "../src/usage";
import { ENVIRONMENTS, isId, isIsoDate, systemClock, toLocalIsoDate } from "../src/values";
import { listDeadLetters, redispatch } from "../src/webhooks";
import { restore, rotateArchiveKey, verify } from "./admin/archive";
import { showProgress } from "./progress";

class UsageError extends Error {}

const USAGE = `usage: bun run admin COMMAND [--json]
  keys create --plan PLAN --label NAME [--environment E] [--scopes a,b] [--owner ID] [--contacts a@b,c@d]
  keys list
  keys revoke ID
  keys-signing rotate [--at-once]
  keys-encryption rotate --to FILE
  tenants list
  tenants suspend ID
  tenants resume ID
  tenants close ID
  registry ingest [--source PATH] [--force]
  registry runs
  registry rollback RUN
  webhooks dead
  webhooks redispatch ID|--all
  reports verify
  reports rebuild
  announcements send [--dry-run]
  archive verify
  archive restore
  archive export DOC_ID --out DIR
  archive rotate-key
  archive retain --tenant ID|--document ID --until DATE`;

/** As for keys that the API makes. */
const LABEL_MAX = 100;

type Context = { readonly config: Config; readonly sql: Sql; readonly kekFile: string };
type Result = { readonly data: unknown; readonly exitCode?: number };
type Command = (context: Context, args: Args) => Promise<Result>;

/** Words in order, and options by name; an option without a value is true. */
class Args {
	readonly words: string[] = [];
	private readonly options = new Map<string, string | true>();

	constructor(argv: readonly string[], valued: ReadonlySet<string>) {
		for (let i = 0; i < argv.length; i++) {
			const word = argv[i] ?? "";
			if (!word.startsWith("--")) this.words.push(word);
			else if (valued.has(word.slice(2))) this.options.set(word.slice(2), valueAfter(word, argv[++i]));
			else this.options.set(word.slice(2), true);
		}
	}

	/** Throws for what the command's line of the usage does not name: a misspelt option must not be passed over. */
	checkAgainst(line: string, command: string): void {
		const known = new Set(["json", ...[...line.matchAll(/--([a-z-]+)/g)].map((match) => match[1])]);
		const unknown = [...this.options.keys()].find((name) => !known.has(name));
		if (unknown !== undefined) throw new UsageError(`unknown option of ${command}: --${unknown}`);
		const takesOne = /^[A-Z]/.test(line.slice(command.length + 1));
		const odd = this.words[takesOne ? 3 : 2];
		if (odd !== undefined) throw new UsageError(`${command} does not know what to do with ${odd}`);
	}

	has(name: string): boolean {
		return this.options.has(name);
	}

	text(name: string): string | undefined {
		const value = this.options.get(name);
		return typeof value === "string" ? value : undefined;
	}

	need(name: string): string {
		const value = this.text(name);
		if (!value) throw new UsageError(`--${name} is needed`);
		return value;
	}

	oneOf<T extends string>(name: string, values: readonly T[], otherwise?: T): T {
		const value = this.text(name) ?? otherwise;
		const found = values.find((v) => v === value);
		if (!found) throw new UsageError(`expected --${name} to be one of ${values.join(", ")}, got ${value ?? "nothing"}`);
		return found;
	}
}

function valueAfter(option: string, value: string | undefined): string {
	if (!value || value.startsWith("--")) throw new UsageError(`${option} needs a value`);
	return value;
}

const commands: Readonly<Record<string, Command>> = {
	"keys create": async (context, args) => {
		const environment = args.oneOf("environment", ENVIRONMENTS, context.config.environment);
		if (environment !== context.config.environment) {
			throw new UsageError(`this deployment is ${context.config.environment}: keys never cross environments`);
		}
		const scopes = args.text("scopes")?.split(",").filter(Boolean).map(toScope);
		if (scopes?.length === 0) throw new UsageError("expected --scopes to name one at least");
		const owner = args.text("owner");
		if (owner !== undefined && !isId(owner)) throw new UsageError(`expected --owner to be an id, got ${owner}`);
		const contacts = (args.text("contacts") ?? "").split(",").filter(Boolean);
		const odd = contacts.filter((address) => !isMailAddress(address));
		if (odd.length > 0) throw new UsageError(`expected --contacts to be mail addresses, got ${odd.join(", ")}`);
		const label = args.need("label");
		if (label.trim() === "" || [...label].length > LABEL_MAX)
			throw new UsageError(`expected --label to have 1 to ${LABEL_MAX} characters and something besides spaces`);
		return withAccess(context, async (access) => {
			const request = {
				plan: args.oneOf("plan", PLANS),
				label,
				environment,
				...(scopes ? { scopes } : {}),
				...(owner ? { ownerId: owner } : {}),
				contactEmails: contacts,
			};
			const created = await access.createKey(request).catch(refuseAsUsage(RangeError));
			const { id, key, prefix, plan, ownerId } = created;
			return { data: { id, key, prefix, plan, environment, ownerId } };
		});
	},
	"keys list": (context) => withAccess(context, async (access) => ({ data: await access.listKeys() })),
	"keys revoke": (context, args) =>
		withAccess(context, async (access) => {
			const id = args.words[2];
			if (!id) throw new UsageError("the key's id is needed");
			const revoked = await access.revokeKey(id);
			return { data: { id, revoked }, exitCode: revoked ? 0 : 1 };
		}),
	"keys-signing rotate": (context, args) =>
		withAccess(context, async (access) => ({ data: await access.rotateSigningKey({ atOnce: args.has("at-once") }) })),
	"keys-encryption rotate": async ({ sql, kekFile }, args) => {
		const file = args.need("to");
		const from = readKek(kekFile);
		// A new key that is not to be used must not lie where running processes look for one.
		if (!existsSync(file)) await checkInForce(sql, [from]).catch(refuseAsUsage(KekNotInForceError));
		const to = atPath("--to", file, () => readOrMakeKek(file));
		if (from.equals(to)) throw new UsageError(`${file} holds the key that is in force already`);
		const { rewrapped, faults } = await rotateKek(sql, { from, to }).catch(refuseAsUsage(KekNotInForceError));
		const isFollowed = resolve(file) === resolve(nextKekFile(kekFile));
		const then = isFollowed
			? `running processes use ${file}; put it in the place of ${kekFile}`
			: `start every process again with KEK_FILE=${file}`;
		return { data: { rewrapped, faults, then }, exitCode: faults.length > 0 ? 1 : 0 };
	},
	"tenants list": async ({ sql }) => {
		const rows = await findAllCompanies(sql);
		return {
			data: rows.map(({ tenantId, rnc, name, status, plan, environment, createdAt }) => {
				return { tenantId, rnc, name, status, plan, environment, createdAt };
			}),
		};
	},
	"tenants suspend": (context, args) => changeTenant(context, args, "suspend"),
	"tenants resume": (context, args) => changeTenant(context, args, "resume"),
	"tenants close": (context, args) => changeTenant(context, args, "close"),
	"registry ingest": async (context, args) => {
		const source = toSource(args.text("source") ?? context.config.registrySource);
		const progress = showProgress(process.stderr);
		const run = await runIngest(await ingestDeps(context), {
			source,
			force: args.has("force"),
			onProgress: progress.show,
		}).finally(progress.end);
		return { data: run, exitCode: run.result === "ok" || run.result === "unchanged" ? 0 : 1 };
	},
	"registry rollback": async (context, args) => {
		const runId = args.words[2];
		if (!runId) throw new UsageError("the run's id is needed");
		if (!isId(runId)) throw new UsageError(`expected a run's id, got ${runId}; see registry runs`);
		const deps = await ingestDeps(context);
		return { data: await runRollback(deps, runId).catch(refuseAsUsage(RollbackError)) };
	},
	"registry runs": async ({ sql }) => ({ data: await listRuns(sql) }),
	"webhooks dead": async ({ sql }) => ({ data: await listDeadLetters(sql) }),
	/** Exits with 1 where the one that is named was not to be sent again. */
	"webhooks redispatch": async ({ sql }, args) => {
		const id = args.words[2];
		const isNamed = id !== undefined && isId(id);
		if (args.has("all") ? id !== undefined : !isNamed) throw new UsageError("a delivery's id or --all is needed");
		const redispatched = await redispatch(sql, id ?? "all");
		return { data: { redispatched }, exitCode: isNamed && redispatched === 0 ? 1 : 0 };
	},
	"reports verify": async ({ sql }) => {
		const found = await verifyReports(sql);
		return { data: found, exitCode: found.drift.length > 0 ? 1 : 0 };
	},
	"reports rebuild": async ({ sql }) => ({ data: await rebuildReports(sql) }),
	"announcements send": (context, args) =>
		withAccess(context, async (access) => {
			const keys = await access.listKeys();
			const { sql } = context;
			const keysThatCalled = async (operation: string, since: Date) =>
				matchCallers(keys, await findOperationCallers(sql, operation, toLocalIsoDate(since)));
			const deps = { sql, changelog: readChangelog(), keys, keysThatCalled, now: systemClock.now() };
			const isRehearsal = args.has("dry-run");
			return { data: { dryRun: isRehearsal, announcements: await announce(deps, isRehearsal) } };
		}),
	"archive verify": verify,
	"archive rotate-key": rotateArchiveKey,
	"archive restore": restore,
	"archive export": async ({ config, sql }, args) => {
		const docId = args.words[2];
		if (!docId || !isId(docId)) throw new UsageError("the document's id is needed");
		const out = args.need("out");
		const object = await getArchiveObject(sql, docId);
		if (!object) throw new UsageError(`document ${docId} is not in the archive`);
		const archive = await openArchive(config.archiveUrl);
		// Another document's sealed object in its place is whole in itself, and other bytes may name files anywhere: only the index tells.
		const fault = await archive.verify(object.objectKey, object.sha256, { versionId: object.versionId });
		const isWhole = fault === undefined || fault === "hidden" || fault === "unlocked";
		if (!isWhole) return { data: { docId, key: object.objectKey, fault }, exitCode: 1 };
		const sealed = await archive.get(object.objectKey, object.versionId);
		atPath("--out", out, () => mkdirSync(out, { recursive: true }));
		const files: string[] = [];
		for (const [name, bytes] of Object.entries(openSealed(sealed))) {
			const file = join(out, name);
			atPath("--out", file, () => {
				mkdirSync(dirname(file), { recursive: true });
				writeFileSync(file, bytes);
			});
			files.push(file);
		}
		return { data: { docId, files } };
	},
	/** Exits with 1 where nothing was to be done. */
	"archive retain": async ({ config, sql }, args) => {
		const [tenantId, docId] = [args.text("tenant"), args.text("document")];
		const id = tenantId ?? docId;
		if (id === undefined || !isId(id) || (tenantId !== undefined && docId !== undefined)) {
			throw new UsageError("--tenant or --document is needed, with the id of one");
		}
		const day = args.need("until");
		if (!isIsoDate(day)) throw new UsageError(`expected --until to be a day, YYYY-MM-DD, got ${day}`);
		const extension = {
			target: tenantId === undefined ? { docId: id } : { tenantId: id },
			until: endOfDay(day),
			doer: { actor: operatorActor(), at: systemClock.now() },
		};
		const archive = await openArchive(config.archiveUrl);
		const { objects, extended } = await extendRetention({ sql, archive }, extension);
		if (objects === 0) throw new UsageError(`the archive has nothing of ${id}`);
		const data = { id, until: extension.until.toISOString(), objects, extended };
		if (extended > 0) return { data };
		const remark = "nothing was shortened: everything of it is kept to that day or longer";
		return { data: { ...data, remark }, exitCode: 1 };
	},
};

/** What was asked for and cannot be is told with the usage, as a misspelt option is. */
function refuseAsUsage(kind: new (...args: never[]) => Error): (error: unknown) => never {
	return (error) => {
		throw error instanceof kind ? new UsageError(error.message) : error;
	};
}

/** Work on a path that an option named, which may be no good. */
function atPath<T>(option: string, path: string, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new UsageError(`${option} ${path} cannot be used: ${(error as Error).message}`);
	}
}

/** The first instant after a day (UTC-4). */
function endOfDay(day: string): Date {
	return new Date(Date.parse(`${day}T00:00:00-04:00`) + 86_400_000);
}

/** Exits with 1 where nothing was to be done. */
async function changeTenant(context: Context, args: Args, change: StatusChange): Promise<Result> {
	const tenantId = args.words[2];
	if (!tenantId || !isId(tenantId)) throw new UsageError("the company's tenant id is needed; see tenants list");
	return withAccess(context, async (access) => {
		const doer = { actor: operatorActor(), at: systemClock.now() };
		const changed = await changeStatus({ sql: context.sql, access }, tenantId, change, doer);
		if (!changed) throw new UsageError(`no company has the tenant id ${tenantId}`);
		return { data: { tenantId, ...changed }, exitCode: changed.hasChanged ? 0 : 1 };
	});
}

async function ingestDeps({ config, sql, kekFile }: Context) {
	return {
		sql,
		directory: join(config.dataDir, "registry"),
		pepper: await keepTombstonePepper({ sql, envelope: createEnvelope({ file: kekFile }) }, readKek(kekFile)),
		clock: systemClock,
		log: createLog("silent", "admin"),
	};
}

function toSource(given: string): string {
	try {
		return toSourceName(given);
	} catch (error) {
		if (error instanceof RangeError) throw new UsageError(error.message);
		throw error;
	}
}

function toScope(name: string): Scope {
	const scope = SCOPES.find((known) => known === name);
	if (!scope) throw new UsageError(`unknown scope ${name}; known: ${SCOPES.join(", ")}`);
	return scope;
}

async function withAccess<T>(
	{ config, sql, kekFile }: Context,
	use: (access: Awaited<ReturnType<typeof openAccess>>) => Promise<T>,
): Promise<T> {
	const access = await openAccess({
		sql,
		envelope: createEnvelope({ file: kekFile }),
		environment: config.environment,
		baseUrl: config.baseUrl ?? "http://localhost",
		clock: systemClock,
		log: createLog("silent", "admin"),
	});
	try {
		return await use(access);
	} finally {
		await access.close();
	}
}

const noService = (dataDir: string): string => `no service runs on ${dataDir}: start it, or set DATABASE_URL`;

async function main(): Promise<number> {
	const args = new Args(
		process.argv.slice(2),
		new Set([
			"plan",
			"label",
			"environment",
			"scopes",
			"owner",
			"contacts",
			"source",
			"out",
			"tenant",
			"document",
			"until",
			"to",
		]),
	);
	const name = args.words.slice(0, 2).join(" ");
	// What every object has is no command of ours.
	const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (!command) throw new UsageError(name ? `unknown command: ${name}` : "a command is needed");
	const line = USAGE.split("\n").find((one) => `${one.trim()} `.startsWith(`${name} `));
	args.checkAgainst(line?.trim() ?? "", name);
	const config = await readConfig(process.env, 1);
	const given = config.databaseUrl ?? findEmbeddedUrl(config.dataDir);
	if (!given) throw new UsageError(noService(config.dataDir));
	const url = await findServiceUrl(given).catch((error: unknown) => {
		// A service that was killed leaves its database's address behind.
		if (config.databaseUrl === undefined && isConnectionFailure(error)) throw new UsageError(noService(config.dataDir));
		throw error;
	});
	const sql = connect({ url, name: "sello admin", connectionsMax: 4, isPatient: true });
	try {
		const kekFile = config.kekFile ?? join(config.dataDir, "kek");
		// A key of another environment would open nothing, an archive's key of another would sign in its name.
		if (process.env.ENVIRONMENT) await checkEnvironment(sql, config.environment);
		const environment = (await findEnvironment(sql)) ?? config.environment;
		const result = await command({ config: { ...config, environment }, sql, kekFile }, args);
		// Rows as the driver gives them carry the statement and the connection, which an inspection would show.
		const data = Array.isArray(result.data) ? Array.from(result.data) : result.data;
		console.log(args.has("json") ? JSON.stringify(data) : Bun.inspect(data, { depth: 8 }));
		return result.exitCode ?? 0;
	} finally {
		await sql.end({ timeout: 2 });
	}
}

try {
	process.exit(await main());
} catch (error) {
	if (error instanceof UsageError) {
		console.error(`${error.message}\n\n${USAGE}`);
		process.exit(2);
	}
	console.error(explainFailure(error));
	process.exit(1);
}
