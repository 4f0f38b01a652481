import type { AuthContext } from '../../accounts/auth-context.ts'
import { signInExternally } from '../../accounts/external-sign-in/sign-in-externally.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { requireNamedAudience } from '../../accounts/users/require-named-audience.sql.ts'
import { readExternalAccount } from '../../credentials/external/external-account.ts'
import { isChain } from '../../credentials/wallets/chain.ts'
import { consumeWalletMessage } from '../../credentials/wallets/consume-wallet-message.sql.ts'
import {
  readWalletMessage,
  requireValidAt,
  type WalletMessage,
} from '../../credentials/wallets/read-wallet-message.ts'
import { isSignedByAddress, readSignature } from '../../credentials/wallets/verify-signature.ts'
import {
  foreignDomain,
  foreignUri,
  insecureUri,
  messageSpent,
  requireWallets,
  signatureMismatch,
  unsupportedChain,
  web3ProviderDisabled,
} from '../../credentials/wallets/wallet-errors.ts'
import { explainRedirect } from '../../limits/redirects/explain-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignInWithWeb3Input } from './token.endpoint.ts'

/**
 * Signs in with a message that the key of a wallet signed for this application. A new user gets an
 * account without an address.
 *
 * A message is accepted once: it is consumed before the account is looked up, also when the sign-in
 * then fails.
 *
 * @throws AuthError `web3_provider_disabled` (422), `web3_unsupported_chain` (400),
 *   `validation_failed` (400) for a malformed message or signature, or an unnamed audience,
 *   `invalid_credentials` (400; on the wire `invalid_grant`) for a message of another site or time,
 *   and the errors of {@link signInExternally}.
 * @see EIP-4361
 */
export async function signInWithWallet(
  ctx: AuthContext,
  { chain: name = '', message: text = '', signature = '' }: Unvalidated<SignInWithWeb3Input>,
): Promise<IssuedSession> {
  requireWallets(ctx)
  const { chain, maximumValiditySeconds } = requireChain(ctx, name)
  requireLength(text)
  const signatureBytes = readSignature(chain, signature)
  const message = readWalletMessage(chain, text)

  if (!(await isSignedByAddress(message, signatureBytes))) throw signatureMismatch()
  requireOwnSite(ctx, message)
  const expiresAt = requireValidAt(ctx.clock.now(), message, maximumValiditySeconds)
  await requireNamedAudience(ctx)
  if (!(await consumeWalletMessage(ctx.sql, message, expiresAt))) throw messageSpent(chain)
  return signIn(ctx, message)
}

function requireChain({ config }: AuthContext, name: string) {
  if (!isChain(name)) throw unsupportedChain()
  const { web3 } = config
  const isEnabled = name === 'solana' ? web3.solanaEnabled : web3.ethereumEnabled
  if (!isEnabled) throw web3ProviderDisabled(name)
  const maximumValiditySeconds =
    name === 'solana' ? web3.solanaMaximumValiditySeconds : web3.ethereumMaximumValiditySeconds
  return { chain: name, maximumValiditySeconds }
}

const minMessageBytes = 64
const maxMessageBytes = 20_480

function requireLength(message: string): void {
  const bytes = Buffer.byteLength(message)
  if (bytes < minMessageBytes) throw validationFailed('message is too short')
  if (bytes > maxMessageBytes) throw validationFailed('message must not exceed 20KB')
}

/**
 * Rejects a message that was signed for another application. On the machine of a developer the port
 * may differ from that of the domain. Any other domain is a page that requests signatures for a
 * site that it is not.
 */
function requireOwnSite({ config }: AuthContext, { chain, uri, domain }: WalletMessage): void {
  const url = new URL(uri)
  const isLocal = isThisMachine(url.hostname)
  if (url.protocol !== 'https:' && !isLocal) throw insecureUri(chain)
  if (!explainRedirect(config, uri).allowed) throw foreignUri(chain)
  const site = URL.parse(`${url.protocol}//${domain}/`)
  const isOwn = isLocal
    ? site?.hostname === url.hostname
    : site?.host === url.host && explainRedirect(config, `https://${domain}/`).allowed
  if (!isOwn) throw foreignDomain(chain)
}

/** Whether a host is the machine of a developer. */
const isThisMachine = (host: string): boolean => host === 'localhost' || host === '127.0.0.1'

/** A longer statement is not stored: it would displace the other claims. */
const maxStatementLength = 1024

async function signIn(ctx: AuthContext, message: WalletMessage): Promise<IssuedSession> {
  const { chain, network, domain, uri } = message
  // The case of an Ethereum address is a checksum: one wallet is one account in any spelling (EIP-55).
  const address = chain === 'ethereum' ? message.address.toLowerCase() : message.address
  const provider = 'web3'
  const person = readExternalAccount(
    { name: provider, label: 'Wallet' },
    {
      subject: `${provider}:${chain}:${address}`,
      emails: [],
      claims: {
        custom_claims: { address, chain, network, domain, statement: statementOf(message) },
      },
    },
  )
  const { end } = await signInExternally(ctx, {
    purpose: { kind: 'sign-in' },
    person,
    settings: { emailOptional: true, signUpDisabled: false },
    singleUse: null,
    tokens: null,
    redirectTo: ctx.config.siteUrl,
    browserHash: null,
    events: [{ action: 'login', traits: { provider, chain, network, address, domain, uri } }],
    prepare: (proved) => prepareSession(ctx, { ...proved, method: provider }),
  })
  return end
}

/** Without a statement, the wire has an empty one for Solana and null for Ethereum. */
function statementOf({ chain, statement }: WalletMessage): string | null {
  if (statement !== null && statement.length <= maxStatementLength) return statement
  return chain === 'solana' ? '' : null
}
