/** Counts bare RSA-2048 signatures: the limit of the runtime's engine on one idle core. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { answerQuestions } from "./answer";
import { repeat } from "./measure";

/** About the size of a SignedInfo. */
const INPUT_BYTES = 900;

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const input = randomBytes(INPUT_BYTES);

answerQuestions<{ seconds: number }, { perSecond: number; cpuMicros: number }>(({ seconds }) =>
	repeat(() => sign("sha256", input, privateKey), seconds),
);
