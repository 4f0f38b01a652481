import type { IssuedSession } from '../../../accounts/sign-in/issue-session.ts'
import { type Factor, hasVerifiedFactor, type User } from '../../../accounts/users/user.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import {
  type ChallengedFactorType,
  factorKinds,
} from '../../../platform/factor-kinds/factor-kinds.ts'
import { type Answer, jsonAnswer } from '../../../platform/http/answer.ts'
import { describeFault } from '../../../platform/observability/describe-fault.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { keepDevice } from '../../trusted-devices/device-cookie.ts'
import { keep, purposeField, signInPurpose } from '../complete-sign-in.ts'
import { button, linkButton } from '../components/button.ts'
import { checkbox, field, hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import { keyForm } from '../components/key-form.ts'
import type { PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { readCredential } from '../read-submitted-credential.ts'

const path = '/second-factor'

/** Pages that may follow, besides the redirect target. */
const nextPages: ReadonlySet<string> = new Set(['/new-password', '/account', '/account/identities'])

/** The second step of a sign-in, and the proof before a sensitive change. */
export const secondFactorRoute: PageRoute = {
  path,
  replacedBy: 'secondFactor',
  show: async (page, state) => {
    const accessToken = await tokenOf(page)
    if (accessToken === null) return redirectTo(pathTo(page, '/sign-in'))
    let user: User
    try {
      user = await page.host.api.getUser({ accessToken }, page.options)
    } catch (error) {
      if (!(error instanceof AuthError) || error.status >= 500) throw error
      const { pending } = await page.sessions()
      pending.cookies.removeSession()
      return redirectTo(pathTo(page, '/sign-in', { again: '1' }))
    }
    return present(page, user, state)
  },
  actions: {
    verify: {
      limit: 'factor_verify',
      run: async (page, fields) => {
        const accessToken = await requireWaiting(page)
        const factorId = fields.get('factor_id') ?? ''
        const code = (fields.get('code') ?? '').replace(/\s/g, '')
        const challengeId = await challengeOf(page, accessToken, factorId)
        const input = { accessToken, factorId, challengeId, code }
        return complete(page, fields, await page.host.api.verifyFactor(input, page.options))
      },
    },
    send: {
      limit: 'factor_challenge',
      run: async (page, fields) => {
        const accessToken = await requireWaiting(page)
        const factorId = fields.get('factor_id') ?? ''
        const { id } = await page.host.api.challengeFactor({ accessToken, factorId }, page.options)
        page.pre.challenge = { id, factorId }
        page.pre.notice = 'notice.codeSent'
        return redirectTo(pathTo(page, path, { factor: factorId, ...stepOf(page) }))
      },
    },
    recovery: {
      limit: 'factor_verify',
      run: async (page, fields) => {
        const accessToken = await requireWaiting(page)
        const input = { accessToken, code: fields.get('code') ?? '' }
        return complete(page, fields, await page.host.api.verifyRecoveryCode(input, page.options))
      },
    },
    'key-options': {
      limit: 'factor_challenge',
      isScript: true,
      run: async (page, fields) => {
        const accessToken = await requireWaiting(page)
        const factorId = fields.get('factor_id') ?? ''
        const challenge = await page.host.api.challengeFactor(
          { accessToken, factorId },
          page.options,
        )
        return jsonAnswer(200, { challengeId: challenge.id, ...challenge.webAuthn })
      },
    },
    key: {
      limit: 'factor_verify',
      run: async (page, fields) => {
        const accessToken = await requireWaiting(page)
        const { challengeId, credential } = readCredential(fields)
        const webAuthn = { type: 'request' as const, credential }
        const factorId = fields.get('factor_id') ?? ''
        const input = { accessToken, factorId, challengeId, webAuthn }
        return complete(page, fields, await page.host.api.verifyFactor(input, page.options))
      },
    },
    cancel: {
      run: async (page) => {
        const { main, pending } = await page.sessions()
        const { viewer } = pending
        pending.cookies.removeSession()
        if (viewer) {
          const { accessToken } = viewer
          await page.host.api
            .signOut({ accessToken, scope: 'local' }, page.options)
            .catch((error: unknown) => {
              if (!(error instanceof AuthError)) throw error
            })
        }
        const aal = isSecondSignIn(page) ? undefined : main.viewer?.claims.aal
        // A page that requires a recent proof would lead to this page again.
        if (aal === 'aal2') return redirectTo(`${page.host.root}/account`)
        // So would the sign-in page lead a session that lacks the factor.
        const isWeak = aal === 'aal1'
        return redirectTo(pathTo(page, '/sign-in', isWeak ? { again: '1' } : {}))
      },
    },
  },
}

/**
 * Returns the token of the session that needs the factor. A step-up is that of the signed-in user,
 * also where a sign-in of another user was left; a new sign-in beside a session names itself.
 */
async function tokenOf(page: PageRequest): Promise<string | null> {
  const { main, pending } = await page.sessions()
  const viewer = isSecondSignIn(page) ? pending.viewer : (main.viewer ?? pending.viewer)
  return viewer?.accessToken ?? null
}

/** Returns whether the step belongs to a sign-in in a browser that has a session. */
const isSecondSignIn = ({ event }: PageRequest): boolean =>
  event.url.searchParams.get(purposeField) === signInPurpose

/** Returns the parameters that the links and forms of the step keep. */
const stepOf = (page: PageRequest): Record<string, string | undefined> => ({
  next: nextOf(page),
  [purposeField]: isSecondSignIn(page) ? signInPurpose : undefined,
})

async function requireWaiting(page: PageRequest): Promise<string> {
  const accessToken = await tokenOf(page)
  if (accessToken !== null) return accessToken
  throw new AuthError('mfa_challenge_expired', 422, 'No session waits for a second factor')
}

/** Returns the challenge that a code was sent for, or a new one for an authenticator app. */
async function challengeOf(
  page: PageRequest,
  accessToken: string,
  factorId: string,
): Promise<string> {
  const { challenge } = page.pre
  if (challenge?.factorId === factorId) return challenge.id
  return (await page.host.api.challengeFactor({ accessToken, factorId }, page.options)).id
}

/** Stores the raised session, trusts the device if the user wants it, and continues. */
async function complete(
  page: PageRequest,
  form: URLSearchParams,
  issued: IssuedSession,
): Promise<Answer> {
  const { enabled } = page.host.deps.config.mfa.trustedDevices
  if (enabled && form.get('trust') === 'on') {
    // The code is used, and the session raised, also where the device is not trusted.
    await trustDevice(page, issued).catch((error: unknown) => {
      page.host.deps.logger.warn(
        { fault: describeFault(error) },
        'device not trusted after a second factor',
      )
    })
  }
  return keep(page, issued.session, nextOf(page))
}

async function trustDevice(page: PageRequest, { session, user }: IssuedSession): Promise<void> {
  const { config } = page.host.deps
  const { accessToken } = session
  const { secret } = await page.host.api.trustDevice({ accessToken }, page.options)
  const { expirySeconds: lifetimeSeconds } = config.mfa.trustedDevices
  page.cookies.push(keepDevice(config, user.id, { secret, lifetimeSeconds }))
}

function nextOf({ event }: PageRequest): string | undefined {
  const next = event.url.searchParams.get('next')
  return next !== null && nextPages.has(next) ? next : undefined
}

function present(page: PageRequest, user: User, state: PageFormState): Answer {
  const { text, event } = page
  if (!hasVerifiedFactor(user)) {
    const again = isSecondSignIn(page) ? { again: '1' } : {}
    const link = linkButton(text('confirm.back'), pathTo(page, '/sign-in', again))
    return presentPage(
      page,
      {
        heading: text('factor.heading'),
        lead: text('factor.none'),
        body: html`<div class="stack">${link}</div>`,
      },
      state,
    )
  }
  const verified = user.factors.filter(({ status }) => status === 'verified')
  const wanted = event.url.searchParams.get('factor')
  const usual = verified.toSorted((one, other) => rank(one) - rank(other))
  const chosen = verified.find(({ id }) => id === wanted) ?? (usual[0] as Factor)
  const { challenge } = page.pre
  const isSent = challenge?.factorId === chosen.id
  return presentPage(
    page,
    {
      heading: text('factor.heading'),
      lead: text(isSent ? 'factor.lead.sent' : `factor.lead.${chosen.factorType}`),
      body: [
        formOf(page, chosen, state, isSent),
        html`<div class="foot">
${
  isSent &&
  form(page, {
    path,
    action: 'send',
    parameters: { factor: chosen.id, ...stepOf(page) },
    body: html`${hidden('factor_id', chosen.id)}${button(text('confirm.resend'), 'quiet')}`,
  })
}
${
  usual.length > 1 &&
  html`<p>${text('factor.other')}</p>${usual
    .filter(({ id }) => id !== chosen.id)
    .map(
      (factor) =>
        html`<p><a href="${pathTo(page, path, { factor: factor.id, ...stepOf(page) })}">${labelOf(page, factor)}</a></p>`,
    )}`
}
${form(page, { path, action: 'cancel', parameters: stepOf(page), body: button(text('factor.cancel'), 'quiet') })}
</div>`,
      ],
    },
    state,
  )
}

/** The kind that needs no message comes first; recovery codes are last. */
const rank = ({ factorType }: Factor): number =>
  ['webauthn', 'totp', 'phone', 'email', 'recovery_code'].indexOf(factorType)

/**
 * Returns the name of a factor: the user's own, or that of its kind. A user has one set of recovery
 * codes, whose stored name is that of the service.
 */
export const labelOf = (
  { text }: Pick<PageRequest, 'text'>,
  { friendlyName, factorType }: Pick<Factor, 'friendlyName' | 'factorType'>,
): string =>
  factorType === 'recovery_code'
    ? text('factor.recovery_code')
    : friendlyName || text(`factor.${factorType as ChallengedFactorType}`)

function formOf(page: PageRequest, factor: Factor, state: PageFormState, isSent: boolean): Markup {
  const { text } = page
  const { factorType } = factor
  const id = hidden('factor_id', factor.id)
  const parameters = { factor: factor.id, ...stepOf(page) }
  const trust = page.host.deps.config.mfa.trustedDevices.enabled
    ? checkbox('factor', 'trust', text('factor.trust'))
    : null
  if (factorType === 'webauthn') {
    return html`${keyForm(page, {
      path,
      options: 'key-options',
      action: 'key',
      parameters: stepOf(page),
      label: text('factor.useKey'),
      style: 'primary',
      body: html`${id}${trust}`,
    })}<noscript><p class="hint">${text('factor.keyScript')}</p></noscript>`
  }
  const isRecovery = factorType === 'recovery_code'
  const isCode = isRecovery || factorKinds[factorType].carrier === null || isSent
  if (!isCode) {
    return form(page, {
      path,
      action: 'send',
      parameters,
      body: html`${id}${button(text('factor.send'))}`,
    })
  }
  return form(page, {
    path,
    action: isRecovery ? 'recovery' : 'verify',
    parameters,
    body: html`${id}${field({
      form: 'factor',
      name: 'code',
      label: text('field.code'),
      autocomplete: isRecovery ? 'off' : 'one-time-code',
      inputMode: isRecovery ? 'text' : 'numeric',
      error: state.errors['code'],
      hasFocus: state.error === null,
      maxLength: 40,
    })}
${trust}
${button(text('factor.submit'))}`,
  })
}
