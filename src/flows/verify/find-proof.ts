import type { AuthContext } from '../../deps.ts'
import { serviceUnavailable } from '../../errors/request-errors.ts'
import { isCarrierRefusal } from '../../messages/carrier.ts'
import { countCodeAttempt } from '../../one-time-tokens/count-code-attempt.sql.ts'
import { findByLink } from '../../one-time-tokens/find-by-link.sql.ts'
import { linkExpired, otpExpired } from '../../one-time-tokens/one-time-token-errors.ts'
import { isCodeOf, type OneTimeTokenRow } from '../../one-time-tokens/one-time-token-row.ts'
import { isBanned } from '../../users/account.ts'
import type { Address } from '../../users/addresses.ts'
import {
  type StoredAccount,
  type StoredAccountRow,
  storedAccountColumns,
  toStoredAccount,
} from '../../users/find-account.sql.ts'
import { userBanned } from '../../users/user-errors.ts'
import type { ProofType } from './proof-type.ts'
import type { Evidence } from './read-verification.ts'
import { proofTypeOf, purposesOfCode, purposesOfLink } from './verification-types.ts'

/** A token that fits the evidence. It is not spent yet. */
export interface Proof {
  type: ProofType
  token: OneTimeTokenRow
  stored: StoredAccount
}

/**
 * The token that a link or code stands for. A code counts as an attempt before it is compared.
 *
 * @throws AuthError `otp_expired`, `user_banned` (403), `validation_failed` (400).
 */
export async function findProof(
  ctx: AuthContext,
  type: string,
  evidence: Evidence,
): Promise<Proof> {
  const proof =
    'secret' in evidence
      ? await findLink(ctx, type, evidence.secret)
      : await findCode(ctx, type, evidence.code, evidence.address)
  if (isBanned(proof.stored.account, ctx.clock.now())) throw userBanned()
  return proof
}

const columns = (ctx: AuthContext) => () => storedAccountColumns(ctx.sql, 'u')

async function findLink(ctx: AuthContext, type: string, secret: string): Promise<Proof> {
  const purposes = purposesOfLink(type)
  const link = { secret, purposes, now: ctx.clock.now() }
  const found = await findByLink<StoredAccountRow>(ctx.sql, columns(ctx), link)
  if (!found) throw linkExpired()
  const { token } = found
  return { type: proofTypeOf(type, token), token, stored: toStoredAccount(found) }
}

async function findCode(
  ctx: AuthContext,
  type: string,
  code: string,
  address: Address,
): Promise<Proof> {
  const purposes = purposesOfCode(type, address.kind)
  const attempt = {
    ...{ sentTo: address.value, audience: ctx.request.audience, purposes },
    now: ctx.clock.now(),
  }
  const candidates = await countCodeAttempt<StoredAccountRow>(ctx.sql, columns(ctx), attempt)
  const isRight = await codeChecker(ctx, address, code)
  const found = candidates.find(({ token }) => isRight(token))
  if (!found) throw otpExpired()
  if (address.kind === 'phone') ctx.smsTraffic.noteVerified(address.value)
  const { token } = found
  return { type: proofTypeOf(type, token), token, stored: toStoredAccount(found) }
}

/** Some carriers make and check codes of their own. */
async function codeChecker(
  { config, checkSmsCode, roots }: AuthContext,
  { kind, value }: Address,
  code: string,
): Promise<(token: OneTimeTokenRow) => boolean> {
  const isTheirs = kind === 'phone' && checkSmsCode && !config.hooks.sendSms.enabled
  if (!isTheirs) return (token) => isCodeOf(roots, token, code)
  const isApproved = await checkSmsCode(value, code).catch((error: unknown) => {
    throw isCarrierRefusal(error) ? serviceUnavailable('The code cannot be checked', error) : error
  })
  return (token) => isApproved || isCodeOf(roots, token, code)
}
