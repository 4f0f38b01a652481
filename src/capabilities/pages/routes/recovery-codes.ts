import type { Answer } from '../../../platform/http/answer.ts'
import { html } from '../../../service/pages/html.ts'
import { linkButton } from '../components/button.ts'
import { noState } from '../form-state.ts'
import { presentPage } from '../layout.ts'
import { type PageRequest, pathTo } from '../page-request.ts'

/** Presents new recovery codes, once. They can be downloaded without a further request. */
export function presentRecoveryCodes(page: PageRequest, codes: readonly string[]): Answer {
  const { text, host } = page
  const readable = codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
  const file = `${host.siteName} – ${text('security.codes')}\r\n\r\n${readable.join('\r\n')}\r\n`
  const download = `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`
  return presentPage(
    page,
    {
      heading: text('security.codesHeading'),
      lead: text('security.codesShown'),
      account: 'security',
      body: html`<div class="stack enroll">
<ul class="codes">${readable.map((code) => html`<li>${code}</li>`)}</ul>
<p class="actions"><a class="button secondary" download="recovery-codes.txt" href="${download}">${text('security.download')}</a>
<button type="button" class="button secondary" data-copy="${readable.join('\n')}" data-done="${text('security.copied')}" hidden>${text('security.copy')}</button></p>
${linkButton(text('security.done'), pathTo(page, '/account/security'))}
</div>`,
    },
    noState,
  )
}
