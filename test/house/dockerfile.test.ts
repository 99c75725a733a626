import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Instruction = { readonly name: string; readonly value: string };

const root = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const instructions = parseDockerfile(read("Dockerfile"));
const lastStage = instructions.slice(instructions.findLastIndex((one) => one.name === "FROM"));
const manifest = JSON.parse(read("package.json")) as {
	version: string;
	description: string;
	license: string;
	engines: { bun: string };
};

test("every stage uses Bun's image of the exact version of the project", () => {
	const base = instructions.find((one) => one.name === "ARG")?.value;
	expect(base).toBe(`BUN_IMAGE=oven/bun:${manifest.engines.bun}-slim`);
	const stages = valuesOf(instructions, "FROM").map((value) => value.split(" ")[0] ?? "");
	expect(stages).toEqual(stages.map(() => "$" + "{BUN_IMAGE}"));
});

test("the image has the locked packages, without development ones", () => {
	const installs = valuesOf(instructions, "RUN").filter((value) => value.includes("install"));
	expect(installs).toHaveLength(1);
	expect(installs[0]).toStartWith("bun install --frozen-lockfile --production");
	expect(installs[0]).not.toContain("optional");
});

test("the service runs as a numbered user that is not root", () => {
	expect(valuesOf(lastStage, "USER").at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
	const afterUser = lastStage.slice(lastStage.findLastIndex((one) => one.name === "USER"));
	expect(afterUser.filter((one) => ["RUN", "COPY", "ADD"].includes(one.name))).toEqual([]);
});

test("nothing is downloaded and no system package is added", () => {
	expect(valuesOf(instructions, "ADD")).toEqual([]);
	expect(valuesOf(instructions, "RUN").filter((value) => /\b(curl|wget|apt-get|apk)\b/.test(value))).toEqual([]);
});

test("no secret gets into a layer or into the environment", () => {
	const settings = instructions.filter((one) => one.name === "ARG" || one.name === "ENV" || one.name === "LABEL");
	expect(settings.filter((one) => /secret|password|token|KEK|DATABASE_URL|SMTP_URL|AWS_/i.test(one.value))).toEqual([]);
	expect(
		valuesOf(instructions, "COPY").filter((value) => /\.env|\.npmrc|\.pem|\.p12|\.data|\s\.\s/.test(value)),
	).toEqual([]);
	expect(valuesOf(instructions, "RUN").filter((value) => value.includes("--mount=type=secret"))).toEqual([]);
});

test("the build context holds only what is copied", () => {
	const rules = read(".dockerignore")
		.split("\n")
		.filter((line) => line !== "" && !line.startsWith("#"));
	expect(rules[0]).toBe("*");
	const letIn = rules.slice(1).map((rule) => rule.replace(/^!/, ""));
	const copied = valuesOf(instructions, "COPY")
		.filter((value) => !value.includes("--from="))
		.flatMap((value) =>
			value
				.split(/\s+/)
				.filter((word) => !word.startsWith("--"))
				.slice(0, -1),
		);
	expect([...new Set(copied)].sort()).toEqual([...letIn].sort());
	expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the root file system may be read-only: all data goes to the volume", () => {
	const environment = valuesOf(lastStage, "ENV").join(" ");
	const [dataDir] = JSON.parse(valuesOf(lastStage, "VOLUME")[0] ?? "[]") as string[];
	expect(environment).toContain(`DATA_DIR=${dataDir} `);
	expect(environment).toContain("BUN_RUNTIME_TRANSPILER_CACHE_PATH=0");
	const user = valuesOf(lastStage, "USER").at(-1);
	expect(valuesOf(lastStage, "COPY").filter((value) => value.endsWith(`${dataDir} ${dataDir}`))).toEqual([
		`--from=dependencies --chown=${user} ${dataDir} ${dataDir}`,
	]);
});

test("the service listens outside the container's loopback on the exposed port", () => {
	const environment = valuesOf(lastStage, "ENV").join(" ");
	expect(environment).toContain("HOST=0.0.0.0");
	expect(environment).toContain(`PORT=${valuesOf(lastStage, "EXPOSE")[0]} `);
});

test("the health check starts no runtime and has a time limit", () => {
	const [value = ""] = valuesOf(lastStage, "HEALTHCHECK");
	const [, options = "", command = "[]"] = /^(.*?)\s*CMD (\[.*\])$/.exec(value) ?? [];
	for (const option of ["--interval=", "--timeout=", "--start-period=", "--retries="])
		expect(options).toContain(option);
	const [program, flag, script = ""] = JSON.parse(command) as string[];
	expect([program, flag]).toEqual(["bash", "-c"]);
	expect(script).toContain("/livez");
	expect(script).toContain("read -r -t 2");
	// Words of the shell itself, which start no process.
	const commands = script.split(" && ").map((part) => part.split(" ")[0]);
	expect(commands).toEqual(["exec", "printf", "read", "["]);
});

test("the health check passes for a live service only", async () => {
	const value = valuesOf(lastStage, "HEALTHCHECK")[0] ?? "";
	const [, flag = "", script = ""] = JSON.parse(value.slice(value.indexOf("["))) as string[];
	let status = 200;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request) => new Response("", { status: new URL(request.url).pathname === "/livez" ? status : 404 }),
	});
	const ask = () =>
		Bun.spawn(["bash", flag, script], {
			env: { ...process.env, PORT: String(server.port) },
			stdout: "ignore",
			stderr: "ignore",
		}).exited;
	try {
		expect(await ask()).toBe(0);
		status = 503;
		expect(await ask()).toBe(1);
	} finally {
		await server.stop(true);
	}
	expect(await ask()).toBe(1);
});

test("the service is the first process and gets SIGTERM without a shell", () => {
	expect(valuesOf(lastStage, "STOPSIGNAL")).toEqual(["SIGTERM"]);
	expect(JSON.parse(valuesOf(lastStage, "ENTRYPOINT")[0] ?? "[]")).toEqual(["bun", "src/main.ts"]);
	expect(valuesOf(lastStage, "CMD")).toEqual([]);
});

test("the labels agree with package.json", () => {
	const labels = Object.fromEntries(
		[
			...valuesOf(lastStage, "LABEL")
				.join(" ")
				.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
		].map((match) => [match[1], match[2]]),
	);
	expect(labels).toEqual({
		title: "sello",
		description: manifest.description,
		version: manifest.version,
		licenses: manifest.license,
	});
});

/** The instructions in order, without comments and with continued lines joined. */
function parseDockerfile(text: string): Instruction[] {
	return text
		.split("\n")
		.filter((line) => !line.trimStart().startsWith("#"))
		.join("\n")
		.replace(/\\\n\s*/g, "")
		.split("\n")
		.filter((line) => line.trim() !== "")
		.map((line) => {
			const [, name = "", value = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
			return { name: name.toUpperCase(), value };
		});
}

function valuesOf(stage: readonly Instruction[], name: string): string[] {
	return stage.filter((one) => one.name === name).map((one) => one.value);
}
