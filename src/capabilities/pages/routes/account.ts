import { needsBothAddresses } from '../../../accounts/addresses/email-change-message.ts'
import type { User } from '../../../accounts/users/user.ts'
import { usernameLength } from '../../../accounts/users/username.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { requireAccount, requireToken } from '../account.ts'
import { button } from '../components/button.ts'
import { field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { notice } from '../components/notice.ts'
import type { PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { changeableMethodsOf, phoneOf } from '../methods.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'
import { startFlow } from '../start-flow.ts'
import type { TextKey } from '../texts/en.ts'

const path = '/account'

/** Profile and addresses of the signed-in user. */
export const accountRoute: PageRoute = {
  path,
  replacedBy: 'account',
  show: async (page, state) => {
    const account = await requireAccount(page, path)
    if (account instanceof Answer) return account
    const { text } = page
    return presentPage(
      page,
      {
        heading: text('account.heading'),
        lead: nameOf(page, account.user),
        account: 'profile',
        body: sections(page, account.user, state),
      },
      state,
    )
  },
  actions: {
    email: {
      limit: 'update_user',
      run: async (page, fields) => {
        const email = (fields.get('email') ?? '').trim()
        const input = { email, ...startFlow(page, 'email_change') }
        const accessToken = await requireToken(page)
        const user = await page.host.api.updateUser({ accessToken, ...input }, page.options)
        page.pre.notice = noticeOfChange(page, user)
        return redirectTo(pathTo(page, path))
      },
    },
    phone: {
      limit: 'update_user',
      run: async (page, fields) => {
        const phone = phoneOf(fields.get('phone') ?? '')
        const accessToken = await requireToken(page)
        const user = await page.host.api.updateUser({ accessToken, phone }, page.options)
        if (user.newPhone === null) {
          page.pre.notice = 'notice.saved'
          return redirectTo(pathTo(page, path))
        }
        page.pre.sent = { kind: 'phone_change', phone }
        return redirectTo(pathTo(page, '/confirm'))
      },
    },
    username: {
      limit: 'update_user',
      run: async (page, fields) => {
        const username = (fields.get('username') ?? '').trim()
        const accessToken = await requireToken(page)
        await page.host.api.updateUser({ accessToken, username }, page.options)
        page.pre.notice = 'notice.saved'
        return redirectTo(pathTo(page, path))
      },
    },
    name: {
      limit: 'update_user',
      run: async (page, fields) => {
        const name = (fields.get('name') ?? '').trim()
        const accessToken = await requireToken(page)
        const input = { accessToken, data: { name: name === '' ? null : name } }
        await page.host.api.updateUser(input, page.options)
        page.pre.notice = 'notice.saved'
        return redirectTo(pathTo(page, path))
      },
    },
  },
}

/** Returns the name of an account as users know it. */
export function nameOf({ text }: Pick<PageRequest, 'text'>, user: User): string {
  const { email, username, phone, isAnonymous } = user
  const known = email ?? username ?? (phone === null ? null : `+${phone}`)
  return known ?? text(isAnonymous ? 'account.anonymous' : 'account.unnamed')
}

function noticeOfChange({ ctx }: PageRequest, user: User): TextKey {
  if (user.newEmail === null) return 'notice.saved'
  return needsBothAddresses(ctx, user) ? 'notice.confirmBoth' : 'notice.confirmAddress'
}

/** Names the addresses that have to confirm a change of email; null where none is pending. */
function pendingChange({ ctx, text }: PageRequest, user: User): Markup | null {
  const { email, newEmail, emailChangeConfirmedBy: confirmedBy } = user
  if (newEmail === null) return null
  if (email === null || !needsBothAddresses(ctx, user)) {
    return notice('info', text('account.pendingAddress', { address: newEmail }))
  }
  if (confirmedBy === null) {
    return notice('info', text('account.pendingBoth', { current: email, address: newEmail }))
  }
  const waiting = confirmedBy === 'new' ? email : newEmail
  return notice('info', text('account.pendingOther', { waiting, address: newEmail }))
}

function sections(page: PageRequest, user: User, state: PageFormState): Markup[] {
  const { text, host } = page
  const { email, phone, username } = changeableMethodsOf(host, user)
  const { name } = user.userMetadata
  const one = (
    action: string,
    body: Markup,
    label: string,
    intro?: Markup | null,
  ): Markup => html`<section>
<h2>${label}</h2>
${intro}
${form(page, { path, action, body: html`${body}${button(text('account.save'), 'secondary')}`, label })}
</section>`
  const errorsOf = (action: string) => (state.action === action ? state.errors : {})
  const typedIn = (action: string, key: string) =>
    state.action === action ? state.values[key] : undefined
  return [
    one(
      'name',
      field({
        form: 'name',
        name: 'name',
        label: text('field.name'),
        autocomplete: 'name',
        value: typedIn('name', 'name') ?? (typeof name === 'string' ? name : ''),
        error: errorsOf('name')['name'],
        isOptional: true,
        maxLength: 200,
      }),
      text('account.name'),
    ),
    ...(email
      ? [
          one(
            'email',
            field({
              form: 'email',
              name: 'email',
              label: text('field.email'),
              type: 'email',
              autocomplete: 'email',
              value: typedIn('email', 'email') ?? user.email ?? '',
              error: errorsOf('email')['email'],
              maxLength: 320,
            }),
            text('account.email'),
            pendingChange(page, user),
          ),
        ]
      : []),
    ...(phone
      ? [
          one(
            'phone',
            field({
              form: 'phone',
              name: 'phone',
              label: text('field.phone'),
              type: 'tel',
              autocomplete: 'tel',
              hint: text('field.phoneHint'),
              value: typedIn('phone', 'phone') ?? (user.phone === null ? '' : `+${user.phone}`),
              error: errorsOf('phone')['phone'],
            }),
            text('account.phone'),
          ),
        ]
      : []),
    ...(username && host.deps.config.usernames.changeEnabled
      ? [
          one(
            'username',
            field({
              form: 'username',
              name: 'username',
              label: text('field.username'),
              autocomplete: 'username',
              hint: text('field.usernameHint', usernameLength),
              value: typedIn('username', 'username') ?? user.username ?? '',
              error: errorsOf('username')['username'],
            }),
            text('account.username'),
          ),
        ]
      : []),
    html`<section>${form(page, {
      path: '/signed-out',
      action: 'sign-out',
      body: button(text('account.signOut'), 'secondary'),
    })}</section>`,
  ]
}
