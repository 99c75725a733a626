import type { TSchema } from "@sinclair/typebox";
import type { Operation } from "../../platform/operation";

/** Every schema of the operations' bodies and answers under the name that the document gives it. */
export type NamedSchemas = {
	readonly byName: ReadonlyMap<string, TSchema>;
	readonly nameOf: (schema: TSchema) => string;
};

/**
 * Names each schema by its `$id`, or by the first operation that has it. Throws an Error when two different schemas would get
 * one name: the second would silently stand for the first.
 */
export function nameSchemas(operations: readonly Operation[]): NamedSchemas {
	const byName = new Map<string, TSchema>();
	const names = new Map<TSchema, string>();
	const add = (schema: TSchema | undefined, fallback: string) => {
		if (!schema || names.has(schema)) return;
		const name = schema.$id ?? fallback;
		const other = byName.get(name);
		if (other && JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${name}`);
		names.set(schema, name);
		byName.set(name, other ?? schema);
	};
	for (const operation of operations) {
		const title = operation.id.charAt(0).toUpperCase() + operation.id.slice(1);
		add(operation.body?.schema, `${title}Request`);
		const answers = Object.entries(operation.answers);
		const isOne = new Set(answers.flatMap(([, { schema }]) => schema ?? [])).size === 1;
		for (const [status, { schema }] of answers) add(schema, `${title}Answer${isOne ? "" : status}`);
	}
	return {
		byName,
		nameOf: (schema) => {
			const name = names.get(schema);
			if (name === undefined) throw new Error("a schema was asked for that no operation has");
			return name;
		},
	};
}
