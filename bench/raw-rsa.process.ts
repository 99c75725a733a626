/** Signs with bare RSA-2048 and counts: what the runtime's engine can do on one core when nothing else is to be done. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { answerQuestions } from "./answer";
import { repeat } from "./measure";

/** About what a SignedInfo has. */
const INPUT_BYTES = 900;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const input = randomBytes(INPUT_BYTES);

answerQuestions<{ seconds: number }, { perSecond: number; cpuMicros: number }>(({ seconds }) =>
	repeat(() => sign("sha256", input, privateKey), seconds),
);
