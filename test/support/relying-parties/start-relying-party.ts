import { fileURLToPath } from 'node:url'
import { type CliProcess, spawnCli } from '../cli-process.ts'

/** The certificate of the provider, which an application trusts. */
const certificate = fileURLToPath(new URL('../certificate/localhost.pem', import.meta.url))

/** The relying parties of other projects, by the file of each. */
export const relyingParties = [
  'openid-client',
  'oauth4webapi',
  'passport-openidconnect',
  'auth-js',
] as const

export type RelyingPartyName = (typeof relyingParties)[number]

/** Starts a relying party as a process of its own, and waits until it listens. */
export async function startRelyingParty(
  name: RelyingPartyName,
  given: { issuer: string; clientId: string; clientSecret: string; port: number },
): Promise<CliProcess> {
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const started = spawnCli([], {
    wrap: ([node = '']) => [node, script],
    env: {
      RP_ISSUER: given.issuer,
      RP_CLIENT_ID: given.clientId,
      RP_CLIENT_SECRET: given.clientSecret,
      RP_PORT: String(given.port),
      NODE_EXTRA_CA_CERTS: certificate,
    },
  })
  await started.printed(/relying party at/)
  return started
}
