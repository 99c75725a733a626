/**
 * The texts that have fewer characters than their schema asks for, although they have as many UTF-16 units, which is what a compiled check counts. A
 * least of one character needs no look: what is not empty has one.
 *
 * Looked for are a text by itself and the members of objects, one within another; no list and no choice of forms of ours asks for more than one character.
 */
import type { TSchema } from "@sinclair/typebox";
import { pointerSegment } from "../problem";
import { isShorterThan } from "../values";

export type ShortText = { readonly pointer: string; readonly schema: TSchema };
type Look = (value: unknown, found: ShortText[]) => void;

/** Looks through a value of any form; undefined where the schema asks for no more than one character. */
export function createLeastCharacters(schema: TSchema, pointer = ""): Look | undefined {
	const { minLength } = schema;
	if (schema.type === "string" && minLength > 1) {
		return (value, found) => {
			if (typeof value === "string" && isShorterThan(value, minLength)) found.push({ pointer, schema });
		};
	}
	const properties: Readonly<Record<string, TSchema>> = schema.type === "object" ? (schema.properties ?? {}) : {};
	const looks = Object.entries(properties).flatMap(([name, member]) => {
		const look = createLeastCharacters(member, `${pointer}/${pointerSegment(name)}`);
		return look ? [{ name, look }] : [];
	});
	if (looks.length === 0) return undefined;
	return (value, found) => {
		if (typeof value !== "object" || value === null) return;
		for (const { name, look } of looks) look(Reflect.get(value, name), found);
	};
}
