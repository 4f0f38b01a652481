import { object } from 'superstruct'
import { Flag, Metadata, Text, Uuid } from '../http/inputs.ts'
import type {
  BearerInput,
  ChallengeFactorInput,
  CodeExchangeInput,
  DeleteOwnUserInput,
  EnrollFactorInput,
  FactorInput,
  FollowLinkInput,
  ResendInput,
  ResetPasswordInput,
  SignInInput,
  SignInWithOtpInput,
  SignOutInput,
  SignUpInput,
  UpdateUserInput,
  VerifyFactorInput,
  VerifyOtpInput,
} from './auth-inputs.ts'
import type { Fields } from './read-input.ts'

const link = { redirectTo: Text, codeChallenge: Text, codeChallengeMethod: Text }

const signIn = { email: Text, phone: Text, password: Text }
export const SignIn = object(signIn satisfies Fields<SignInInput>)

export const SignUp = object({
  ...{ ...signIn, ...link },
  ...{ data: Metadata, channel: Text },
} satisfies Fields<SignUpInput>)

export const SignInWithOtp = object({
  ...{ ...link, email: Text, phone: Text },
  ...{ createUser: Flag, data: Metadata, channel: Text },
} satisfies Fields<SignInWithOtpInput>)

export const ResetPassword = object({ ...link, email: Text } satisfies Fields<ResetPasswordInput>)

export const Resend = object({
  ...{ ...link, type: Text, email: Text, phone: Text },
} satisfies Fields<ResendInput>)

export const VerifyOtp = object({
  ...{ type: Text, token: Text, email: Text, phone: Text, tokenHash: Text, password: Text },
} satisfies Fields<VerifyOtpInput>)

export const FollowLink = object({
  ...{ type: Text, token: Text, redirectTo: Text },
} satisfies Fields<FollowLinkInput>)

export const CodeExchange = object({
  ...{ authCode: Text, codeVerifier: Text },
} satisfies Fields<CodeExchangeInput>)

export const UpdateUser = object({
  ...{ ...link, accessToken: Text, email: Text, phone: Text, channel: Text },
  ...{ password: Text, currentPassword: Text, nonce: Text, data: Metadata },
} satisfies Fields<UpdateUserInput>)

export const DeleteOwnUser = object({
  ...{ accessToken: Text, password: Text, nonce: Text },
} satisfies Fields<DeleteOwnUserInput>)

export const Bearer = object({ accessToken: Text } satisfies Fields<BearerInput>)
export const EnrollFactor = object({
  ...{ accessToken: Text, factorType: Text, friendlyName: Text, issuer: Text, phone: Text },
} satisfies Fields<EnrollFactorInput>)

const factor = { accessToken: Text, factorId: Text }
export const OneFactor = object(factor satisfies Fields<FactorInput>)

export const ChallengeFactor = object({
  ...{ ...factor, channel: Text },
} satisfies Fields<ChallengeFactorInput>)

export const VerifyFactor = object({
  ...{ ...factor, challengeId: Uuid, code: Text },
} satisfies Fields<VerifyFactorInput>)

export const Refresh = object({ refreshToken: Text })
export const Revoke = object({ accessToken: Text, sessionId: Text })
export const Explain = object({ url: Text })

export const SignOut = object({ accessToken: Text, scope: Text } satisfies Fields<SignOutInput>)
