import { html } from 'hono/html'
import type { User } from 'latchkey'

/** HTML; values in it are escaped. */
export type Html = ReturnType<typeof html>

/** The texts of a submitted form. */
export type Fields = Readonly<Record<string, string>>

/** A whole page. @param problem the reason why the form was rejected. */
export const page = (content: Html, problem?: string): Html => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Acme</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  label, input { display: block; width: 100%; box-sizing: border-box }
  input, button { font: inherit; padding: 0.4rem 0.8rem; margin: 0.2rem 0 0.8rem }
</style>
${content}
<p role="alert">${problem}</p>
</html>`

const email = (address = '') =>
  html`<label>Email <input name="email" type="email" autocomplete="username" value="${address}" required></label>`
const code = html`<label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label>`
const password = (autocomplete: 'current-password' | 'new-password') =>
  html`<label>Password <input name="password" type="password" autocomplete="${autocomplete}" required></label>`
const hidden = (name: string, value?: string) =>
  html`<input name="${name}" type="hidden" value="${value}">`

/** A form with one button. */
const form = (action: string, label: string, ...inputs: Html[]) =>
  html`<form method="post" action="${action}">${inputs}<button>${label}</button></form>`

export const home = (address?: string) => html`
<h1>Hello, ${address ?? 'guest'}</h1>
<p>${address ? html`<a href="/account">Account</a>` : html`<a href="/sign-in">Sign in</a> <a href="/sign-up">Sign up</a>`}</p>`

export const signUp = (address?: string) => html`
<h1>Sign up</h1>
${form('/sign-up', 'Sign up', email(address), password('new-password'))}`

export const confirm = (address?: string) => html`
<h1>Confirm your address</h1>
<p>Open the link that we have sent to ${address}, or enter its code.</p>
${form('/confirm', 'Confirm', hidden('email', address), code)}`

export const signIn = ({
  hasGithub,
  address,
}: {
  hasGithub: boolean
  address?: string | undefined
}) => html`
<h1>Sign in</h1>
${form('/sign-in', 'Sign in', email(address), password('current-password'))}
${hasGithub ? form('/sign-in/github', 'Sign in with GitHub') : undefined}
<p><a href="/recover">Forgot your password?</a></p>`

export const recover = (address?: string) => html`
<h1>Forgot your password?</h1>
${form('/recover', 'Send a link', email(address))}`

export const recoveryCode = (address?: string) => html`
<h1>Check your mail</h1>
<p>If ${address} has an account, we have sent a link to it. Open it in this browser, or enter its code.</p>
${form('/recover/code', 'Continue', hidden('email', address), code)}`

export const newPassword = (user: User) => html`
<h1>New password of ${user.email}</h1>
${form('/new-password', 'Set password', password('new-password'))}`

export const verify = (factorId?: string) => html`
<h1>Second factor</h1>
<p>Enter the code of your authenticator app.</p>
${form('/verify', 'Verify', hidden('factorId', factorId), code)}`

export const enroll = () => html`
<h1>Add a second factor</h1>
<p>Install an authenticator app on your phone.</p>
${form('/enroll', 'Show the QR code')}`

export const scan = (factorId: string, { qrCode, secret }: { qrCode: string; secret: string }) =>
  html`
<h1>Scan this code</h1>
<img src="data:image/svg+xml,${encodeURIComponent(qrCode)}" alt="QR code">
<p>Or enter the secret <code>${secret}</code></p>
${form('/verify', 'Verify', hidden('factorId', factorId), code)}`

export const account = (user: User) => html`
<h1>Your account</h1>
<p>You are signed in as ${user.email}.</p>
<p><a href="/new-password">Change the password</a> <a href="/enroll">Add a second factor</a></p>
${form('/sign-out', 'Sign out')}
${form('/sign-out-everywhere', 'Sign out everywhere')}`
