import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import { challengeFactor } from './challenge-factor.ts'
import { enrollFactor } from './enroll-factor.ts'
import {
  challengeFactorEndpoint,
  enrollFactorEndpoint,
  unenrollFactorEndpoint,
  verifyFactorEndpoint,
} from './second-factor.endpoint.ts'
import { unenrollFactor } from './unenroll-factor.ts'
import { verifyFactor } from './verify-factor.ts'

export const secondFactorRoutes = [
  implement(enrollFactorEndpoint, {
    run: ({ ctx, caller, input }) => enrollFactor(ctx, caller, input),
    // The number of a phone is returned as submitted.
    present: ({ id, factorType, friendlyName, phone, totp }, { input }) => ({
      id,
      type: factorType,
      friendly_name: friendlyName ?? '',
      ...(phone !== null && { phone: input.phone }),
      ...(totp && { totp: { qr_code: totp.qrCode, secret: totp.secret, uri: totp.uri } }),
    }),
  }),
  implement(challengeFactorEndpoint, {
    run: ({ ctx, caller, ids, input }) => challengeFactor(ctx, caller, ids.factorId, input.channel),
    present: ({ id, factorType, expiresAt, webAuthn }) => ({
      id,
      type: factorType,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
      ...(webAuthn && {
        webauthn: {
          type: webAuthn.type,
          credential_options: { publicKey: webAuthn.options },
        },
      }),
    }),
  }),
  implementSeparately(verifyFactorEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, ids, input: { webAuthn, ...proof } }) =>
        presentSignedIn(
          await verifyFactor(ctx, caller, ids.factorId, {
            ...proof,
            ...(webAuthn && {
              webAuthn: { type: webAuthn['type'], credential: webAuthn['credential_response'] },
            }),
          }),
        ),
    run: ({ ctx, caller, ids, input }) => verifyFactor(ctx, caller, ids.factorId, input),
  }),
  implement(unenrollFactorEndpoint, {
    run: ({ ctx, caller, ids }) => unenrollFactor(ctx, caller, ids.factorId),
    present: (id) => ({ id }),
    returns: () => undefined,
  }),
] as const
