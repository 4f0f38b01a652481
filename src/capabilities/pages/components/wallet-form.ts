import { html, type Markup } from '../../../service/pages/html.ts'
import { formTokenOf, tokenField } from '../form-token.ts'
import { type PageRequest, pathTo } from '../page-request.ts'
import { captcha } from './captcha.ts'
import { hidden } from './field.ts'

/**
 * A form for a message that a wallet signs. Only scripts reach wallets, so it appears where the
 * browser has one.
 */
export const walletForm = (
  page: PageRequest,
  { path, chain }: { path: string; chain: 'ethereum' | 'solana' },
): Markup =>
  html`<form method="post" action="${pathTo(page, path, { do: 'wallet' })}" data-wallet="${chain}" hidden>
${hidden(tokenField, formTokenOf(page))}
${hidden('chain', chain)}
${hidden('message', '')}
${hidden('signature', '')}
${captcha(page)}
<button type="button" class="button secondary">${page.text(`signIn.wallet.${chain}`)}</button>
<p class="error" role="alert" data-text="${page.text('error.wallet_browser')}" hidden></p>
</form>`
