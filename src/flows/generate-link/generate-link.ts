import { type AuditEvent, auditRows } from '../../audit/audit-row.ts'
import type { AuthContext } from '../../deps.ts'
import { conflict } from '../../errors/request-errors.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { newOutboxRow } from '../../messages/outbox/outbox-row.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { composeLinkMail, mailedLink } from '../../steps/compose-mail.ts'
import { type MadeToken, makeToken } from '../../steps/token-message.ts'
import type { Account } from '../../users/account.ts'
import { findByAddress, type StoredAccount } from '../../users/find-account.sql.ts'
import { insertAccount } from '../../users/insert-account.sql.ts'
import { saveAccount } from '../../users/save-account.sql.ts'
import { type LinkPlan, planLink } from './plan-link.ts'
import { type GenerateLinkInput, type LinkRequest, readLinkRequest } from './read-link-request.ts'

/** A link that an operator may hand over, with its parts. */
export interface GeneratedLink {
  user: Account
  actionLink: string
  emailOtp: string
  hashedToken: string
  verificationType: string
  redirectTo: string
}

/**
 * Makes a link as a mail would carry it, and hands it to the operator. A mail goes out only if asked.
 *
 * @throws AuthError `user_not_found` (404), `email_exists` (422), `weak_password` (422),
 *   `validation_failed` (400).
 */
export async function generateLink(
  ctx: AuthContext,
  admin: Admin,
  input: GenerateLinkInput,
): Promise<GeneratedLink> {
  const request = readLinkRequest(ctx, input)
  const existing = await findByAddress(ctx.sql, request.address, ctx.request.audience)
  const plan = await planLink(ctx, request, existing)
  const token = makeToken(ctx, { ...plan.token, account: plan.account })
  const isStored = await store(ctx, admin, { request, existing, plan, token })
  if (!isStored) throw conflict('The user was changed meanwhile')
  ctx.outbox.wake()
  return {
    user: plan.account,
    actionLink: mailedLink(ctx, plan.mail, token.secret, request.redirectTo),
    emailOtp: token.code,
    hashedToken: token.secret,
    verificationType: plan.type,
    redirectTo: request.redirectTo,
  }
}

interface ToStore {
  request: LinkRequest
  existing: StoredAccount | null
  plan: LinkPlan
  token: MadeToken
}

async function store(
  ctx: AuthContext,
  { role }: Admin,
  { request, existing, plan, token }: ToStore,
): Promise<boolean> {
  const { account, passwordHash, action } = plan
  const event: AuditEvent = { action, actorRole: role, userId: account.id }
  const rows = {
    tokenRows: jsonRows(token.row),
    messageRows: jsonRows(...messagesOf(ctx, request, plan, token)),
    auditRows: auditRows(ctx, event),
  }
  if (!existing) return insertAccount(ctx.sql, { account, passwordHash, ...rows })
  return saveAccount(ctx.sql, { before: existing, after: account, passwordHash, ...rows })
}

function messagesOf(ctx: AuthContext, request: LinkRequest, plan: LinkPlan, token: MadeToken) {
  const { mail, account } = plan
  if (!request.sendEmail || mail === 'emailChange') return []
  const order = composeLinkMail(ctx, mail, account, token, request.redirectTo)
  return [newOutboxRow(ctx, order, ctx.clock.now())]
}
