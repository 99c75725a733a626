/** Reads an uploaded container, sent as JSON or as a form with a file. */
import { type Static, Type } from "@sinclair/typebox";
import { PKCS12_BYTES_MAX } from "../../ecf/signing";
import { type Call, checkBody, parseJson, readBytes } from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import { parseInstant } from "../../platform/values";

export const CertificateUpload = Type.Object(
	{
		pkcs12: Type.String({
			minLength: 1,
			description: "PKCS#12 container in base64, at most 64 KiB decoded. In a form also as the file `file`.",
		}),
		password: Type.String({ maxLength: 200, description: "Password of the container." }),
		activateAt: Type.Optional(
			Type.String({
				maxLength: 40,
				description: "Instant with its time zone, from which this certificate signs; at once if absent or past.",
			}),
		),
	},
	{ additionalProperties: false },
);
export type CertificateUpload = Static<typeof CertificateUpload>;

/** The form variant: the container as a file, or in base64 as in JSON. */
export const CertificateForm = Type.Object(
	{
		...Type.Partial(Type.Pick(CertificateUpload, ["pkcs12"])).properties,
		file: Type.Optional(
			Type.String({ format: "binary", description: "The container as a file, at most 64 KiB; instead of `pkcs12`." }),
		),
		...Type.Omit(CertificateUpload, ["pkcs12"]).properties,
	},
	{ additionalProperties: false },
);

export type ReadUpload = {
	readonly bytes: Uint8Array;
	readonly password: string;
	readonly activateAt: Date | undefined;
};

const FORM_FIELDS = new Set(Object.keys(CertificateForm.properties));

/** Throws: malformed-json, validation-error, payload-too-large (also for the container alone), and what reading a body throws. */
export async function readUpload(call: Call): Promise<ReadUpload> {
	const bytes = await readBytes(call);
	const type = call.request.headers.get("content-type") ?? "";
	const isForm = /^multipart\/form-data/i.test(type);
	const upload = isForm
		? await readForm(bytes, type)
		: checkBody<CertificateUpload>(parseJson(bytes), CertificateUpload, Number.POSITIVE_INFINITY);
	const activateAt = upload.activateAt === undefined ? undefined : parseInstant(upload.activateAt);
	if (upload.activateAt !== undefined && activateAt === undefined) {
		const detail = msg`Send an instant with its time zone, such as 2026-12-01T00:00:00-04:00.`;
		throw new Problem("validation-error", { faults: [{ pointer: "/activateAt", code: "invalid-instant", detail }] });
	}
	return { bytes: readContainer(upload.pkcs12), password: upload.password, activateAt };
}

/** A container in base64, with or without the `data:` prefix that browsers put before a file. Throws: payload-too-large. */
export function readContainer(text: string): Uint8Array {
	const bytes = Buffer.from(text.replace(/^data:[\w.+/-]*(?:;[\w=.-]+)*;base64,/i, ""), "base64");
	if (bytes.length <= PKCS12_BYTES_MAX) return bytes;
	const extensions = { limitBytes: PKCS12_BYTES_MAX };
	throw new Problem("payload-too-large", { detail: msg`The container exceeds ${PKCS12_BYTES_MAX} bytes.`, extensions });
}

async function readForm(bytes: Uint8Array, type: string): Promise<CertificateUpload> {
	const form = await parseForm(bytes, type);
	const faults: Fault[] = [];
	const seen = new Set<string>();
	const isRefused = new Set<string>();
	for (const [name] of form) {
		const isUnknown = !FORM_FIELDS.has(name);
		if ((isUnknown || seen.has(name)) && !isRefused.has(name)) {
			const pointer = `/${name.slice(0, 40)}`;
			if (isUnknown) faults.push({ pointer, code: "unknown-field", detail: msg`Is not a field of this form.` });
			else faults.push({ pointer, code: "repeated", detail: msg`Send it once.` });
			isRefused.add(name);
		}
		seen.add(name);
	}
	const [file, pkcs12] = [form.get("file"), form.get("pkcs12")];
	if (file !== null && pkcs12 !== null)
		faults.push({ pointer: "/pkcs12", code: "repeated", detail: msg`Send it once.` });
	const container = typeof file === "string" ? null : (file ?? pkcs12);
	if (container === null)
		faults.push({ pointer: "/file", code: "required", detail: msg`Send the container as a file.` });
	const [password, activateAt] = [form.get("password"), form.get("activateAt")];
	if (typeof password !== "string") faults.push({ pointer: "/password", code: "required", detail: msg`Is missing.` });
	if (faults.length > 0 || container === null || typeof password !== "string") {
		throw new Problem("validation-error", { faults });
	}
	const upload = {
		pkcs12: typeof container === "string" ? container : Buffer.from(await container.arrayBuffer()).toString("base64"),
		password,
		...(typeof activateAt === "string" ? { activateAt } : {}),
	};
	return checkBody<CertificateUpload>(upload, CertificateUpload, Number.POSITIVE_INFINITY);
}

type Form = Awaited<ReturnType<Response["formData"]>>;

async function parseForm(bytes: Uint8Array, type: string): Promise<Form> {
	try {
		return await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
	} catch (cause) {
		const detail = msg`Is not a form of the kind that its Content-Type declares.`;
		throw new Problem("validation-error", { faults: [{ pointer: "", code: "malformed-form", detail }], cause });
	}
}
