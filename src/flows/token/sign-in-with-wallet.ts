import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import { explainRedirect } from '../../redirects/explain-redirect.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { readPerson } from '../../steps/external-person.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { requireNamedAudience } from '../../steps/require-named-audience.ts'
import { signInExternally } from '../../steps/sign-in-externally.ts'
import { isChain } from '../../wallets/chain.ts'
import { requireValidAt } from '../../wallets/message-validity.ts'
import { readWalletMessage, type WalletMessage } from '../../wallets/read-wallet-message.ts'
import { spendWalletMessage } from '../../wallets/spend-wallet-message.sql.ts'
import { isSignedByAddress, readSignature } from '../../wallets/verify-signature.ts'
import {
  foreignDomain,
  foreignUri,
  insecureUri,
  messageSpent,
  signatureMismatch,
  unsupportedChain,
  web3ProviderDisabled,
} from '../../wallets/wallet-errors.ts'
import type { SignInWithWeb3Input } from './token.endpoint.ts'

/**
 * Signs in whoever holds the key of a wallet, by a message that it signed for this application. Who is new gets an account
 * without an address.
 *
 * A message is good for once: it is spent before the account is looked up, and stays so whatever comes of it.
 *
 * @throws AuthError `web3_provider_disabled` (422), `web3_unsupported_chain` (400), `validation_failed` (400) for a
 *   message or signature in another form, or an audience that nobody named, `invalid_credentials` (400; on the wire `invalid_grant`) for one that does not
 *   count here and now, and what {@link signInExternally} throws.
 * @see EIP-4361
 */
export async function signInWithWallet(
  ctx: AuthContext,
  { chain: name = '', message: text = '', signature = '' }: Unread<SignInWithWeb3Input>,
): Promise<SignedIn> {
  requireWallets(ctx)
  const { chain, maximumValiditySeconds } = requireChain(ctx, name)
  requireLength(text)
  const signatureBytes = readSignature(chain, signature)
  const message = readWalletMessage(chain, text)

  if (!(await isSignedByAddress(message, signatureBytes))) throw signatureMismatch()
  requireOwnSite(ctx, message)
  const expiresAt = requireValidAt(ctx.clock.now(), message, maximumValiditySeconds)
  await requireNamedAudience(ctx)
  if (!(await spendWalletMessage(ctx.sql, message, expiresAt))) throw messageSpent(chain)
  return signIn(ctx, message)
}

/**
 * Refuses everybody where no wallets sign in.
 *
 * @throws AuthError `web3_provider_disabled` (422).
 */
export function requireWallets({ config }: Pick<AuthContext, 'config'>): void {
  const { solanaEnabled, ethereumEnabled } = config.web3
  if (!solanaEnabled && !ethereumEnabled) throw web3ProviderDisabled(null)
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
 * Refuses a message that was signed for another application. On the machine of a developer the port may be another one
 * than in the domain; a domain elsewhere would be a page that has the wallet sign for what it is not.
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

/** A page of a developer, on the address that development is shown under. */
const isThisMachine = (host: string): boolean => host === 'localhost' || host === '127.0.0.1'

/** A longer statement is no part of what is stored: beside it there would be room for nothing else. */
const maxStatementLength = 1024

async function signIn(ctx: AuthContext, message: WalletMessage): Promise<SignedIn> {
  const { chain, network, domain, uri } = message
  // The case of an Ethereum address is a checksum of it: one wallet is one account, however it is spelled (EIP-55).
  const address = chain === 'ethereum' ? message.address.toLowerCase() : message.address
  const provider = 'web3'
  const person = readPerson(
    { name: provider, label: 'Web3' },
    {
      subject: `${provider}:${chain}:${address}`,
      emails: [],
      claims: {
        custom_claims: { address, chain, network, domain, statement: statementOf(message) },
      },
    },
  )
  const { end } = await signInExternally(ctx, {
    person,
    settings: { emailOptional: true, signUpDisabled: false },
    redirectTo: ctx.config.siteUrl,
    browserHash: null,
    prepare: (userId) => prepareSession(ctx, { userId, method: provider }),
    events: (userId) => [
      {
        action: 'login',
        actorId: userId,
        traits: { provider, chain, network, address, domain, uri },
      },
    ],
  })
  return end
}

/** As the wire has it where there is none: empty of Solana, null of Ethereum. */
function statementOf({ chain, statement }: WalletMessage): string | null {
  if (statement !== null && statement.length <= maxStatementLength) return statement
  return chain === 'solana' ? '' : null
}
