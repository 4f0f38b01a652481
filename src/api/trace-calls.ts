import { AuthError } from '../errors/auth-error.ts'
import { countRefusal, type Telemetry } from '../observability/telemetry.ts'

type AnyMethod = (...args: never[]) => Promise<unknown>

/** Calls that prove somebody, by what they prove them. Those that succeed are counted where the session is opened. */
const signInMethods: Readonly<Record<string, string>> = {
  signInWithPassword: 'password',
  signInAnonymously: 'anonymous',
  signInWithIdToken: 'oauth',
  signInWithWeb3: 'web3',
  exchangeCodeForSession: 'pkce',
  verifyOtp: 'otp',
  followLink: 'otp',
  verifyFactor: 'mfa',
  verifyRecoveryCode: 'mfa',
  verifyTrustedDevice: 'mfa',
  verifyPasskeyAuthentication: 'passkey',
}

/** An object whose methods are spans, as the requests of the wire are. */
export function tracedCalls<T extends { [name in keyof T]: AnyMethod }>(
  door: 'api' | 'admin',
  target: T,
  telemetry: Telemetry | null,
): T {
  if (!telemetry) return target
  const traced =
    (name: string, call: AnyMethod): AnyMethod =>
    (...args) =>
      telemetry.run({ name: `auth.${door}.${name}` }, async () => {
        try {
          return await call.apply(target, args)
        } catch (error) {
          if (error instanceof AuthError) {
            countRefusal(telemetry, `${door}.${name}`, error.code, signInMethods[name])
          }
          throw error
        }
      })
  const calls = Object.entries<AnyMethod>(target).map(([name, call]) => [name, traced(name, call)])
  return Object.fromEntries(calls) as T
}
