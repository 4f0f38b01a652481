import {
  composeLinkMail,
  composeReauthenticationMail,
  type MailedToken,
} from '../../delivery/messages/compose-mail.ts'
import { composeSms } from '../../delivery/messages/compose-sms.ts'
import { type MessageOrder, type OutboxRow, outboxRows } from '../../delivery/outbox/outbox-row.ts'
import { smsCodeLifetimeSeconds } from '../../delivery/sms/open-sms-carrier.ts'
import { findTestCode, type SmsChannel } from '../../delivery/sms/sms.ts'
import { requesterOf } from '../../limits/requester-of.ts'
import { timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { LinkMail } from '../../platform/mails/mails.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { RequestMember, TokenRows } from '../../platform/sql/token-rows.ts'
import type { AuthContext } from '../auth-context.ts'
import type { CodeChallenge } from '../one-time-tokens/code-challenge.ts'
import { issueOneTimeToken } from '../one-time-tokens/issue-one-time-token.ts'
import type {
  OneTimeTokenPurpose,
  TokenRequester,
} from '../one-time-tokens/one-time-token.entity.ts'
import { type OneTimeTokenRow, resenderOf } from '../one-time-tokens/one-time-token-row.ts'
import type { AddressRequest } from '../users/sign-up-origin.ts'
import { hasConfirmedAddress, type User } from '../users/user.ts'
import type { RequestedAddress } from './request-address.ts'

/** The parameters of a link and code for an address. */
export interface TokenOrder {
  /** The account to be stored. */
  user: User
  to: RequestedAddress
  purpose: OneTimeTokenPurpose
  requestedBy: TokenRequester
  /** Absent for the client of the request. */
  requestedFrom?: 'operator' | 'application' | 'session' | 'resender' | { browserHash: string }
  codeChallenge?: CodeChallenge | null
  /** The suspended passkey or identity to confirm. */
  credential?: { id: string; label: string }
}

/** A created token with the data for its message. */
export interface MadeToken extends MailedToken {
  row: RequestedTokenRow
  request: AddressRequest
}

/** A row of a token with the request that caused it. */
export type RequestedTokenRow = OneTimeTokenRow & { request: RequestMember }

/** A token and the messages that deliver it, as rows to be stored. */
export interface TokenMessage {
  tokens: readonly RequestedTokenRow[]
  request: AddressRequest
  messages: readonly OutboxRow[]
  /** The id on the wire: that in the outbox, or `test-otp` where no message is sent. */
  messageId: string
}

/** Creates a link and code. A test number gets its fixed code. */
export function makeToken(ctx: AuthContext, order: TokenOrder): MadeToken {
  const { user, to, purpose, requestedBy, codeChallenge = null, credential } = order
  const now = ctx.clock.now()
  const { otpLength } = ctx.config[to.kind === 'email' ? 'email' : 'sms']
  const testCode = to.kind === 'phone' ? findTestCode(ctx.config.sms, to.value, now) : null
  const { secret, code, row } = issueOneTimeToken(
    ctx,
    {
      userId: user.id,
      purpose,
      requestedBy,
      requestedFrom: requesterIn(ctx, order),
      // A user who proves the address of an unconfirmed account gets the audience of this request.
      audience: hasConfirmedAddress(user) ? user.audience : ctx.request.audience,
      sentTo: to.value,
      credentialId: credential?.id ?? null,
      codeChallenge,
      lifetimeSeconds:
        to.kind === 'email' ? ctx.config.email.otpLifetimeSeconds : smsCodeLifetimeSeconds(ctx),
      codeLength: otpLength,
      code: testCode ?? undefined,
    },
    now,
  )
  const { by, from } = to
  return {
    to: to.value,
    secret,
    code,
    row: { ...row, request: { [to.kind]: to.value, from } },
    request: { by, from },
    expiresAt: new Date(row.expires_at),
    ...(credential && { credentialLabel: credential.label }),
  }
}

/**
 * Returns the key of the requester. A browser is identified by its secret, whatever its network.
 */
function requesterIn(ctx: AuthContext, { requestedFrom }: TokenOrder): string | null {
  if (typeof requestedFrom === 'object') return `browser:${requestedFrom.browserHash}`
  if (requestedFrom === 'resender') return resenderOf(requesterOf(ctx))
  return requestedFrom ?? requesterOf(ctx)
}

/** Returns the rows of tokens as statements receive them, and the messages of an act. */
export const rowsOfMessages = (
  ...all: readonly Pick<TokenMessage, 'tokens' | 'messages'>[]
): { tokenRows: TokenRows; messages: readonly OutboxRow[] } => ({
  tokenRows: tokenRowsOf(all.flatMap(({ tokens }) => tokens)),
  messages: all.flatMap(({ messages }) => messages),
})

/** Returns the rows of tokens as statements receive them. */
export const tokenRowsOf = (tokens: readonly RequestedTokenRow[]): TokenRows =>
  rowsOf('one_time_tokens', ...tokens) as TokenRows

/** Returns the rows of tokens and of the messages that deliver them. */
export function storedMessages(
  ctx: AuthContext,
  tokens: readonly [MadeToken, ...MadeToken[]],
  orders: readonly MessageOrder[],
): TokenMessage {
  const messages = outboxRows(ctx, orders)
  return {
    tokens: tokens.map(({ row }) => row),
    request: tokens[0].request,
    messages,
    messageId: messages[0]?.id ?? noMessageId(ctx),
  }
}

/** Returns an id in place of a message that is not sent. It has the form of any other. */
export const noMessageId = ({ clock }: Pick<AuthContext, 'clock'>): string =>
  timeOrderedUuid(clock.now())

/** Creates a link and code for delivery by mail. */
export function mailToken(
  ctx: AuthContext,
  kind: Exclude<LinkMail, 'emailChange'> | 'reauthentication',
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

/** Creates a code for delivery by SMS. A test number receives no message. */
export function textToken(
  ctx: AuthContext,
  kind: 'confirmation' | 'phone_change' | 'reauthentication' | 'credential',
  order: TokenOrder,
  channel: SmsChannel = 'sms',
): TokenMessage {
  const token = makeToken(ctx, order)
  const isTest = findTestCode(ctx.config.sms, token.to, ctx.clock.now()) !== null
  if (isTest) return { ...storedMessages(ctx, [token], []), messageId: 'test-otp' }
  return storedMessages(ctx, [token], [composeSms(ctx, kind, order.user, { ...token, channel })])
}
