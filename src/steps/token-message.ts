import type { AuthContext } from '../deps.ts'
import { timeOrderedUuid } from '../kit/uuid.ts'
import type { MessageOrder, OutboxRow } from '../messages/outbox/outbox-row.ts'
import type { SmsChannel } from '../messages/sms/sms.ts'
import { findTestCode } from '../messages/sms/test-codes.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import { issueOneTimeToken } from '../one-time-tokens/issue-one-time-token.ts'
import type {
  OneTimeTokenPurpose,
  TokenRequester,
} from '../one-time-tokens/one-time-token.entity.ts'
import type { OneTimeTokenRow } from '../one-time-tokens/one-time-token-row.ts'
import type { Rows } from '../sql/tables.ts'
import { rowsOf } from '../sql/tables.ts'
import type { Address } from '../users/addresses.ts'
import { isConfirmed, type User } from '../users/user.ts'
import { composeLinkMail, composeReauthenticationMail, type MailedToken } from './compose-mail.ts'
import { composeSms } from './compose-sms.ts'
import { outboxRows } from './outbox-rows.ts'
import { requesterOf } from './requester-of.ts'

/** A link and code for an address, before they exist. */
export interface TokenOrder {
  /** The account as it is to be stored. */
  user: User
  to: Address
  purpose: OneTimeTokenPurpose
  requestedBy: TokenRequester
  /** Left out for the client of the request. */
  requestedFrom?: 'operator' | 'application' | 'session' | { browserHash: string }
  codeChallenge?: CodeChallenge | null
}

/** A token that was made, with what its message says. */
export interface MadeToken extends MailedToken {
  row: OneTimeTokenRow
}

/** A token and the messages that take it to its address, as rows to be stored. */
export interface TokenMessage {
  tokens: readonly OneTimeTokenRow[]
  messages: readonly OutboxRow[]
  /** What the wire answers: the id in the outbox, or `test-otp` where nothing is sent. */
  messageId: string
}

/** Makes a link and code. A test number gets its fixed code. */
export function makeToken(ctx: AuthContext, order: TokenOrder): MadeToken {
  const { user, to, purpose, requestedBy, codeChallenge = null } = order
  const now = ctx.clock.now()
  const { otpLifetimeSeconds, otpLength } = ctx.config[to.kind === 'email' ? 'email' : 'sms']
  const testCode = to.kind === 'phone' ? findTestCode(ctx.config.sms, to.value, now) : null
  const { secret, code, row } = issueOneTimeToken(
    ctx,
    {
      userId: user.id,
      purpose,
      requestedBy,
      requestedFrom: requesterIn(ctx, order),
      // Whoever proves the address of a registration is where they asked to be.
      audience: isConfirmed(user) ? user.audience : ctx.request.audience,
      sentTo: to.value,
      codeChallenge,
      lifetimeSeconds: otpLifetimeSeconds,
      codeLength: otpLength,
      code: testCode ?? undefined,
    },
    now,
  )
  return { to: to.value, secret, code, row, expiresAt: new Date(row.expires_at) }
}

/** A browser is told from others by its secret, wherever it is. */
function requesterIn(ctx: AuthContext, { requestedFrom }: TokenOrder): string | null {
  if (typeof requestedFrom === 'object') return `browser:${requestedFrom.browserHash}`
  return requestedFrom ?? requesterOf(ctx)
}

/** The rows of messages, as statements take them. */
export const rowsOfMessages = (
  ...all: readonly Pick<TokenMessage, 'tokens' | 'messages'>[]
): { tokenRows: Rows<'one_time_tokens'>; messageRows: Rows<'outbox_messages'> } => ({
  tokenRows: rowsOf('one_time_tokens', ...all.flatMap(({ tokens }) => tokens)),
  messageRows: rowsOf('outbox_messages', ...all.flatMap(({ messages }) => messages)),
})

/** Rows of tokens, and of the messages that carry them. */
export function storedMessages(
  ctx: AuthContext,
  tokens: readonly MadeToken[],
  orders: readonly MessageOrder[],
): TokenMessage {
  const messages = outboxRows(ctx, orders)
  return {
    tokens: tokens.map(({ row }) => row),
    messages,
    messageId: messages[0]?.id ?? noMessageId(ctx),
  }
}

/** What stands for a message where none is sent; it looks like any other. */
export const noMessageId = ({ clock }: Pick<AuthContext, 'clock'>): string =>
  timeOrderedUuid(clock.now())

/** A link and code by mail. */
export function mailToken(
  ctx: AuthContext,
  kind: 'confirmation' | 'invite' | 'magicLink' | 'recovery' | 'reauthentication',
  order: TokenOrder,
  redirectTo = '',
): TokenMessage {
  const token = makeToken(ctx, order)
  const mail =
    kind === 'reauthentication'
      ? composeReauthenticationMail(ctx, order.user, token)
      : composeLinkMail(ctx, kind, order.user, token, redirectTo)
  return storedMessages(ctx, [token], [mail])
}

/** A code by SMS. None is sent to a test number. */
export function textToken(
  ctx: AuthContext,
  kind: 'confirmation' | 'phone_change' | 'reauthentication',
  order: TokenOrder,
  channel: SmsChannel = 'sms',
): TokenMessage {
  const token = makeToken(ctx, order)
  const isTest = findTestCode(ctx.config.sms, token.to, ctx.clock.now()) !== null
  if (isTest) return { ...storedMessages(ctx, [token], []), messageId: 'test-otp' }
  return storedMessages(ctx, [token], [composeSms(ctx, kind, order.user, { ...token, channel })])
}
