/** A program that changes a row and takes more rows than any buffer holds, in one transaction; its argument is the database's address. */
import { connect } from "../../../../src/platform/database";

const sql = connect({ url: process.argv[2] ?? "", name: "sello taker", connectionsMax: 1 });
await sql.begin(async (tx) => {
	await tx`update witness set value = 1 where id = 1`;
	for (;;) await tx`select repeat('x', 1000000) from generate_series(1, 200)`;
});
