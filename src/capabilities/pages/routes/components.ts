import { developerRoot } from '../../../endpoints/http/local-access.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { button, linkButton } from '../components/button.ts'
import { checkbox, field } from '../components/field.ts'
import { form } from '../components/form.ts'
import { keyForm } from '../components/key-form.ts'
import { newPasswordField } from '../components/new-password-field.ts'
import { notice } from '../components/notice.ts'
import { removal } from '../components/removal.ts'
import { table } from '../components/table.ts'
import { walletForm } from '../components/wallet-form.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo, redirectTo } from '../page-request.ts'
import type { PageRoute } from '../page-route.ts'

const path = `${developerRoot}/components`

/** All components of the pages in all their states, for developers. Exists in development only. */
export const componentsRoute: PageRoute = {
  path,
  show: (page, state) =>
    presentPage(
      page,
      {
        heading: 'Components',
        lead: 'The parts of the sign-in and account pages. This page exists in development only.',
        account: 'profile',
        body: [
          section('Buttons', buttons(page)),
          section('Fields', fields(page)),
          section('Notices', [
            notice('success', 'The change is saved.'),
            notice('info', 'A message is on its way.'),
            notice('error', 'These details are wrong.'),
          ]),
          section('Table', rows(page)),
          section('Browsers with scripts', scripted(page)),
        ],
      },
      state,
    ),
  actions: { none: { run: async (page) => redirectTo(pathTo(page, path)) } },
}

const section = (heading: string, body: Markup | readonly Markup[]): Markup =>
  html`<section><h2>${heading}</h2>${body}</section>`

const buttons = (page: PageRequest): Markup => html`<div class="stack">
${(['primary', 'secondary', 'danger', 'quiet'] as const).map((style) =>
  form(page, { path, action: 'none', body: button(style, style) }),
)}
${linkButton('link', pathTo(page, path))}
</div>`

const fields = (page: PageRequest): Markup =>
  form(page, {
    path,
    action: 'none',
    label: 'Fields',
    body: html`${field({ form: 'plain', name: 'email', label: 'Plain', type: 'email', value: 'ada@example.com' })}
${field({ form: 'hint', name: 'phone', label: 'With a hint', type: 'tel', hint: 'With the country code.' })}
${field({ form: 'aside', name: 'password', label: 'With a link', type: 'password', aside: html`<a href="${pathTo(page, path)}">Forgot?</a>` })}
<div class="field"><div class="label"><label for="wrong">With an error</label></div>
<div class="input"><input id="wrong" name="wrong" value="123" aria-invalid="true" aria-describedby="wrong-error"></div>
<p class="error" id="wrong-error">This code is wrong.</p></div>
${newPasswordField(page, { form: 'new', name: 'new_password', error: undefined })}
${checkbox('box', 'trust', 'A box to check')}
${button('Submit')}`,
  })

/** The forms that need scripts, a passkey or a wallet. The endpoint rejects what they submit. */
const scripted = (page: PageRequest): Markup => html`<div class="stack">
${keyForm(page, { path, options: 'none', action: 'none', label: 'Use a passkey', hasCaptcha: true })}
${(['ethereum', 'solana'] as const).map((chain) => walletForm(page, { path, chain }))}
</div>`

const rows = (page: PageRequest): Markup =>
  table('Table', [
    { title: 'A row', badge: 'badge', details: ['First detail', 'Second detail'] },
    {
      title: 'A row with an action',
      details: [],
      actions: form(page, { path, action: 'none', body: button('Sign out', 'secondary') }),
    },
    {
      title: 'A row that can be removed',
      details: [],
      actions: removal(page, {
        path,
        action: 'none',
        field: { name: 'id', value: '1' },
        label: 'Remove',
        effect: 'You can no longer use it.',
      }),
    },
  ])
