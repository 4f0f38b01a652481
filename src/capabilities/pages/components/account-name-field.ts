import type { User } from '../../../accounts/users/user.ts'
import { html, type Markup } from '../../../service/pages/html.ts'

/** The name of the account beside a new password, for password managers. */
export const accountNameField = ({ email, phone, username }: User): Markup =>
  html`<input type="text" name="username" autocomplete="username" value="${email ?? username ?? phone ?? ''}" hidden readonly tabindex="-1">`
