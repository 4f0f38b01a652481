/** The part of the application (`app.ts`) with factors, passkeys and trusted devices. */
import type {
  AuthApi,
  BearerInput,
  ChallengeFactorInput,
  CreationOptions,
  EnrolledFactor,
  EnrollFactorInput,
  Factor,
  FactorChallenge,
  FactorInput,
  FactorType,
  GeneratedRecoveryCodes,
  GenerateRecoveryCodesInput,
  NewTrustedDevice,
  Passkey,
  PasskeyAuthentication,
  PasskeyCeremony,
  PasskeyInput,
  PasskeyRegistration,
  RecoveryCodesStatus,
  RefreshSessionInput,
  RequestOptions,
  SignInAnonymouslyInput,
  StartPasskeySignUpInput,
  TotpEnrollment,
  TrustedDevice,
  TrustedDeviceInput,
  TrustedSignInResult,
  UpdatePasskeyInput,
  User,
  VerifyFactorInput,
  VerifyPasskeyAuthenticationInput,
  VerifyPasskeyRegistrationInput,
  VerifyPasskeySignUpInput,
  VerifyRecoveryCodeInput,
  VerifyTrustedDeviceInput,
} from 'latchkey'

export async function enroll(api: AuthApi, bearer: BearerInput): Promise<string> {
  const input: EnrollFactorInput = { ...bearer, factorType: 'totp', friendlyName: 'Phone' }
  const enrolled: EnrolledFactor = await api.enrollFactor(input)
  const totp: TotpEnrollment | null = enrolled.totp
  const which: FactorInput = { ...bearer, factorId: enrolled.id }
  const requested: ChallengeFactorInput = { ...which, channel: 'sms' }
  const { id: challengeId, webAuthn }: FactorChallenge = await api.challengeFactor(requested)
  const answer: VerifyFactorInput = { ...which, challengeId, code: '123456' }
  const { session, user } = await api.verifyFactor(answer)
  const renewal: RefreshSessionInput = { refreshToken: session.refreshToken }
  await api.refreshSession(renewal)
  await api.unenrollFactor(which)
  return [totp?.qrCode, webAuthn?.type, ...kindsOf(user)].join()
}

const kindsOf = ({ factors }: User): FactorType[] =>
  factors.map(({ factorType }: Factor) => factorType)

export async function recover(api: AuthApi, bearer: BearerInput): Promise<number> {
  const input: GenerateRecoveryCodesInput = { ...bearer, friendlyName: 'Paper' }
  const { codes }: GeneratedRecoveryCodes = await api.generateRecoveryCodes(input)
  const proof: VerifyRecoveryCodeInput = { ...bearer, code: codes[0] ?? '' }
  await api.verifyRecoveryCode(proof)
  const { remaining }: RecoveryCodesStatus = await api.getRecoveryCodes(bearer)
  return remaining
}

export async function useKeys(
  api: AuthApi,
  bearer: BearerInput,
  ask: (options: CreationOptions | RequestOptions) => Promise<object>,
): Promise<string[]> {
  const answerTo = async <Options extends CreationOptions | RequestOptions>({
    challengeId,
    options,
  }: PasskeyCeremony<Options>): Promise<VerifyPasskeyAuthenticationInput> => ({
    challengeId,
    credential: await ask(options),
  })
  const begun: PasskeyRegistration = await api.startPasskeyRegistration(bearer)
  const made: VerifyPasskeyRegistrationInput = { ...bearer, ...(await answerTo(begun)) }
  const { id: passkeyId }: Passkey = await api.verifyPasskeyRegistration(made)
  const which: PasskeyInput = { ...bearer, passkeyId }
  const renamed: UpdatePasskeyInput = { ...which, friendlyName: 'Laptop' }
  await api.updatePasskey(renamed)
  await api.deletePasskey(which)

  const opened: PasskeyAuthentication = await api.startPasskeyAuthentication()
  await api.verifyPasskeyAuthentication(await answerTo(opened))
  const passkeySignUp: StartPasskeySignUpInput = { name: 'Ada' }
  const joining: VerifyPasskeySignUpInput = await answerTo(
    await api.startPasskeySignUp(passkeySignUp),
  )
  const { user } = await api.verifyPasskeySignUp({ ...joining, data: { name: 'Ada' } })
  const anonymousSignUp: SignInAnonymouslyInput = { data: { theme: 'dark' } }
  const guest = await api.signInAnonymously(anonymousSignUp)
  return [user.id, guest.user.id]
}

export async function trust(api: AuthApi, bearer: BearerInput): Promise<string> {
  const { secret, id: deviceId }: NewTrustedDevice = await api.trustDevice(bearer)
  const known: VerifyTrustedDeviceInput = { ...bearer, secret }
  const signIn: TrustedSignInResult = await api.verifyTrustedDevice(known)
  const devices: TrustedDevice[] = await api.listTrustedDevices(bearer)
  const deleted: TrustedDeviceInput = { ...bearer, deviceId }
  await api.deleteTrustedDevice(deleted)
  return `${signIn.secret} ${devices[0]?.lastUsedAt.toISOString()}`
}
