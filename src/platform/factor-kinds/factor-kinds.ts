import { email } from './email.ts'
import type {
  FactorErrorMeaning,
  FactorKindDeclaration,
  FactorUse,
} from './factor-kind-declaration.ts'
import { phone } from './phone.ts'
import { totp } from './totp.ts'
import { webauthn } from './webauthn.ts'

// The types are spelled out because they are public. The declarations must match them.

/**
 * The type of a factor that a challenge verifies: an authenticator app, a phone, a security key, or
 * codes by mail.
 */
export type ChallengedFactorType = 'totp' | 'phone' | 'webauthn' | 'email'

/** The type of a factor: one that a challenge verifies, or the user's set of recovery codes. */
export type FactorType = ChallengedFactorType | 'recovery_code'

/** The section of a kind in the configuration, `mfa.<section>`. */
export type FactorSection = Exclude<ChallengedFactorType, 'webauthn'> | 'webAuthn'

type Declarations = Readonly<
  Record<ChallengedFactorType, FactorKindDeclaration & { section: FactorSection }>
>

const declarations = { totp, phone, webauthn, email } as const satisfies Declarations

/** The declarations of the kinds of second factor, by their type. */
export const factorKinds: Declarations = declarations

export const challengedFactorTypes = Object.keys(factorKinds) as readonly ChallengedFactorType[]

/** The settings that every kind has. */
export interface FactorSwitches {
  enrollEnabled: boolean
  verifyEnabled: boolean
}

/** Returns whether users may enroll and verify factors of a type. */
export const factorSwitches = (
  { mfa }: { mfa: Readonly<Record<FactorSection, FactorSwitches>> },
  type: ChallengedFactorType,
): FactorSwitches => mfa[factorKinds[type].section]

/** The error for a kind that the configuration disables. */
export type FactorSwitchError<Use extends 'enroll' | 'verify' = 'enroll' | 'verify'> =
  `mfa_${ChallengedFactorType}_${Use}_not_enabled`

export const factorSwitchError = <Use extends 'enroll' | 'verify'>(
  type: ChallengedFactorType,
  use: Use,
): FactorSwitchError<Use> => `mfa_${type}_${use}_not_enabled`

/** The errors for disabled kinds. */
export const factorSwitchErrors = <Use extends 'enroll' | 'verify'>(
  use: Use,
): FactorSwitchError<Use>[] => challengedFactorTypes.map((type) => factorSwitchError(type, use))

type CodesOf<Declaration> = Declaration extends { ownErrors: infer Errors } ? keyof Errors : never

/** An error code that only one kind has. */
export type FactorOwnError = Extract<CodesOf<(typeof declarations)[ChallengedFactorType]>, string>

/** The error codes that only one kind has, with their documentation. */
export const factorOwnErrors: Readonly<Record<FactorOwnError, FactorErrorMeaning>> = Object.assign(
  {},
  ...Object.values(factorKinds).map(({ ownErrors }) => ownErrors),
)

type EndpointError<Use extends FactorUse> =
  (typeof declarations)[ChallengedFactorType]['errors'][Use][number]

/** The errors of an endpoint that single kinds have. */
export const factorErrors = <Use extends FactorUse>(use: Use): EndpointError<Use>[] =>
  Object.values(declarations).flatMap(({ errors }) => [...errors[use]])

/** The values of `factor_type` on the wire. */
export const presentedFactorTypes: readonly string[] = [
  ...new Set(
    challengedFactorTypes.map((type) => factorKinds[type].presentedAs?.factorType ?? type),
  ),
]
