/** People who sign in to the console: accounts, roles, memberships and links; the factors with which they sign in, and mails about both. */
export { insertAccess, listAccessesOf, listAccessesTo, type OperatorAccess } from "./access-store";
export {
	type AccountMail,
	contextOfLetter,
	createMailPerson,
	type FactorChange,
	queueAccountMail,
} from "./account-mail";
export {
	deletePasskey,
	deleteTotp,
	insertPasskey,
	listPasskeys,
	lockUser,
	type PasskeyRow,
	replaceRecoveryCodes,
	savePassword,
	saveTotp,
} from "./factor-store";
export {
	type FactorDeps,
	keepChallenge,
	offerPasskeys,
	takeChallenge,
	takePasskey,
	takeTotp,
	takeTypedRecoveryCode,
} from "./factors";
export {
	makeRegistrationOptions,
	PasskeyAssertion,
	PasskeyRegistration,
	type RelyingParty,
	verifyRegistration,
} from "./passkey";
export { findWeakness, hashPassword, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, verifyPassword } from "./password";
export { digestOfRecoveryCode, makeRecoveryCodes, RECOVERY_CODES } from "./recovery-codes";
export { isOperatorRole, OPERATOR_READS, scopesOf, TEAM_ROLES } from "./roles";
export {
	clearFailures,
	contextOfTotp,
	deleteUserByEmail,
	deleteView,
	disableUser,
	findUser,
	findUserByEmail,
	giveBackAttempt,
	insertInvitation,
	insertLink,
	insertMembership,
	insertView,
	keepUser,
	listMemberships,
	listUsers,
	listViews,
	type Membership,
	type Profile,
	removeFactors,
	type SavedView,
	saveProfile,
	saveView,
	sweepUsers,
	takeAttempt,
	takeLink,
	type User,
	voidLinks,
} from "./store";
export {
	acceptInvitation,
	deleteMembership,
	findInvitation,
	findMember,
	listInvitations,
	listMembers,
	lockInvitation,
	lockInvitationsOf,
	lockTeam,
	type Member,
	type OpenInvitation,
	revokeInvitation,
	updateMembership,
} from "./team-store";
export { checkTotp, fromBase32, makeTotpSecret, toBase32, toTotpUri } from "./totp";
