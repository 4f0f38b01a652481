import { readRedirectTo } from '../../../endpoints/http/read-redirect-to.ts'
import { requireLink } from '../../../endpoints/verify/follow-link.ts'
import type { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { button } from '../components/button.ts'
import { hidden } from '../components/field.ts'
import { form } from '../components/form.ts'
import type { PageFormState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import type { PageRequest } from '../page-request.ts'
import type { PageAction } from '../page-route.ts'
import type { TextKey } from '../texts/en.ts'

const path = '/confirm'

/** Returns whether a request of `/confirm` is that of a mailed link. */
export const isMailedLink = ({ event }: PageRequest): boolean => event.url.searchParams.has('token')

/**
 * Presents the page of a mailed link, whose button uses it. It queries nothing, so a program that
 * opens the link neither consumes it nor learns whether it is valid.
 *
 * An invitation is accepted here and signs the user in. Other links are those of `/verify`: they
 * return to the browser that requested them.
 */
export function presentMailedLink(page: PageRequest, state: PageFormState): Answer {
  const { text, host, event } = page
  const query = event.url.searchParams
  const { type, token } = requireLink({
    type: query.get('type') ?? undefined,
    token: query.get('token') ?? undefined,
  })
  const purpose = text.has(`link.${type}.heading`) ? type : 'other'
  const submit = button(text(`link.${purpose}.button` as TextKey))
  const { target } = readRedirectTo(event)
  const needsForm = host.deps.config.links.confirm === 'button' || type === 'credential'
  return presentPage(
    page,
    {
      heading: text(`link.${purpose}.heading` as TextKey),
      lead: text('link.message'),
      body: [
        type === 'invite'
          ? form(page, { path, action: 'invitation', parameters: { type, token }, body: submit })
          : html`<form method="${needsForm ? 'post' : 'get'}" action="${host.root}/verify">
${hidden('type', type)}${hidden('token', token)}${target && hidden('redirect_to', target)}
${submit}
</form>`,
        html`<p class="foot">${text('link.closing')}</p>`,
      ],
    },
    state,
  )
}

/** Accepts an invitation: signs the user in, and continues with a password. */
export const acceptInvitation: PageAction = {
  limit: 'verify',
  run: async (page) => {
    const tokenHash = page.event.url.searchParams.get('token') ?? ''
    const input = { type: 'invite' as const, tokenHash }
    const { user, session } = await page.host.api.verifyOtp(input, page.options)
    if (!session) throw new Error('an invitation returned no session')
    return completeSignIn(page, { user, session }, { next: '/new-password' })
  },
}
