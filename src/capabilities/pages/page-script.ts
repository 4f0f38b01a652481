/**
 * The script of all pages. Each page works without it, except for passkeys and security keys, which
 * only scripts can use.
 */
export const pageScript = `const all = (selector, root = document) => [...root.querySelectorAll(selector)]

// A second click would submit a form whose code or link is consumed. The page may stay: a user stops
// the request, or a redirect opens an application.
const setDisabled = (form, isDisabled) => {
  for (const one of all('button[type=submit]', form)) isDisabled ? one.setAttribute('aria-disabled', 'true') : one.removeAttribute('aria-disabled')
}
const timers = new WeakMap()
const enable = (form) => {
  clearTimeout(timers.get(form))
  delete form.dataset.sent
  setDisabled(form, false)
}
for (const form of all('form:not([data-download])')) form.addEventListener('submit', (event) => {
  if (form.dataset.sent) return event.preventDefault()
  form.dataset.sent = '1'
  setDisabled(form, true)
  timers.set(form, setTimeout(enable, 8000, form))
})
addEventListener('pageshow', ({ persisted }) => persisted && all('form').forEach(enable))

// A click just after another window above this one closed may have been meant for that window: for
// half a second it has no effect. The pointer enters, or this window gets the focus, only then.
let uncoveredAt = document.hasFocus() ? -500 : Infinity
const cover = () => { if (!document.hasFocus()) uncoveredAt = Infinity }
const uncover = ({ timeStamp }) => { uncoveredAt = Math.min(uncoveredAt, timeStamp) }
addEventListener('blur', cover)
addEventListener('focus', uncover)
addEventListener('pageshow', ({ persisted }) => persisted && cover())
document.addEventListener('visibilitychange', (event) => {
  uncoveredAt = Infinity
  if (!document.hidden) uncover(event)
})
document.documentElement.addEventListener('pointerleave', ({ pointerType }) => pointerType !== 'touch' && cover())
for (const type of ['pointermove', 'pointerdown']) addEventListener(type, uncover, true)
addEventListener('click', (event) => {
  // The keyboard and scripts click without a position.
  if (event.detail === 0 || event.timeStamp >= uncoveredAt + 500 || !event.target.closest('button')) return
  // Some software clicks without a pointer: its next click has an effect.
  uncover(event)
  event.preventDefault()
  event.stopImmediatePropagation()
}, true)

// The first click of a double click may have led to this page. The buttons are not disabled, since
// the Tab key would skip them.
for (const form of all('form[data-pause]')) {
  const pause = () => {
    setDisabled(form, true)
    setTimeout(setDisabled, 500, form, false)
  }
  pause()
  addEventListener('pageshow', ({ persisted }) => persisted && pause())
  form.addEventListener('click', (event) => {
    if (event.target.closest('[aria-disabled=true]')) event.preventDefault()
  }, true)
}

for (const input of all('[data-recaptcha]')) {
  const renew = () => self.grecaptcha?.ready(async () => { input.value = await grecaptcha.execute(input.dataset.recaptcha, { action: 'submit' }) })
  addEventListener('load', renew)
  setInterval(renew, 90000)
}

for (const button of all('.reveal')) {
  const input = document.getElementById(button.getAttribute('aria-controls'))
  button.hidden = false
  button.addEventListener('click', () => {
    const isShown = input.type === 'text'
    input.type = isShown ? 'password' : 'text'
    button.textContent = isShown ? button.dataset.show : button.dataset.hide
    input.focus()
  })
}

for (const list of all('.rules')) {
  const input = document.getElementById(list.dataset.of)
  const check = () => {
    for (const rule of all('li', list)) {
      const { min, chars } = rule.dataset
      const isMet = min ? new TextEncoder().encode(input.value).length >= Number(min) : [...chars].some((one) => input.value.includes(one))
      rule.classList.toggle('met', isMet)
      rule.querySelector('.mark').textContent = isMet ? '✓ ' : '· '
    }
  }
  input.addEventListener('input', check)
  check()
}

for (const item of all('[data-copy]')) {
  if (!navigator.clipboard) continue
  item.hidden = false
  item.addEventListener('click', async () => {
    await navigator.clipboard.writeText(item.dataset.copy)
    item.textContent = item.dataset.done
  })
}

// Passkeys and security keys: the server's options are requested, the browser's credential is submitted.
const abort = { controller: null }
// A message about an earlier success would contradict the error.
const showError = (message, text) => {
  for (const one of all('.notice.success')) one.remove()
  message.textContent = text
  message.hidden = false
}
// An authenticator that already has a credential of the account registers no other one.
const textOf = (error, { text, exists }) => error.name === 'Error' ? error.message : error.name === 'InvalidStateError' ? exists : text
async function optionsFor(form) {
  const response = await fetch(form.dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { accept: 'application/json' } })
  const body = await response.json()
  // The user has to prove something first.
  if (body.next) {
    location.assign(body.next)
    throw new DOMException('', 'AbortError')
  }
  // A service that is busy responds without a text for users: the form has one.
  if (!response.ok) throw body.error ? new Error(body.error) : new TypeError()
  return body
}
async function ceremony(form, { mediation } = {}) {
  const answer = await optionsFor(form)
  abort.controller?.abort()
  abort.controller = new AbortController()
  const { signal } = abort.controller
  const credential = answer.type === 'create'
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(answer.options), signal })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(answer.options), mediation, signal })
  form.elements.challenge_id.value = answer.challengeId
  form.elements.credential.value = JSON.stringify(credential.toJSON())
  form.requestSubmit()
}
if (self.PublicKeyCredential?.parseRequestOptionsFromJSON) for (const form of all('form[data-options]')) {
  form.hidden = false
  const message = form.querySelector('.error')
  const button = form.querySelector('button[type=button]')
  button.addEventListener('click', async () => {
    message.hidden = true
    try {
      await ceremony(form)
    } catch (error) {
      if (error.name === 'AbortError') return
      showError(message, textOf(error, message.dataset))
    }
  })
  if (form.dataset.autofill !== undefined) PublicKeyCredential.isConditionalMediationAvailable?.().then((isAvailable) => isAvailable && ceremony(form, { mediation: 'conditional' })).catch(() => {})
}

// Wallets sign a message that names this page. @see EIP-4361
const sign = {
  async ethereum({ ethereum }) {
    const [address] = await ethereum.request({ method: 'eth_requestAccounts' })
    const chain = parseInt(await ethereum.request({ method: 'eth_chainId' }), 16)
    const message = textFor('Ethereum', address, 'Chain ID: ' + chain)
    const hex = [...new TextEncoder().encode(message)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    return [message, await ethereum.request({ method: 'personal_sign', params: ['0x' + hex, address] })]
  },
  async solana({ solana }) {
    await solana.connect()
    const message = textFor('Solana', solana.publicKey.toBase58())
    const signed = await solana.signMessage(new TextEncoder().encode(message), 'utf8')
    return [message, btoa(String.fromCharCode(...(signed.signature || signed)))]
  },
}
const textFor = (name, address, more) => [
  location.host + ' wants you to sign in with your ' + name + ' account:',
  address,
  '',
  'URI: ' + location.origin + location.pathname,
  'Version: 1',
  ...(more ? [more] : []),
  'Nonce: ' + crypto.randomUUID().replaceAll('-', ''),
  'Issued At: ' + new Date().toISOString(),
].join('\\n')
const offerWallets = () => {
  for (const form of all('form[data-wallet]')) form.hidden = !self[form.dataset.wallet]
}
for (const form of all('form[data-wallet]')) {
  const message = form.querySelector('.error')
  form.querySelector('button').addEventListener('click', async () => {
    message.hidden = true
    try {
      [form.elements.message.value, form.elements.signature.value] = await sign[form.dataset.wallet](self)
      form.requestSubmit()
    } catch {
      showError(message, message.dataset.text)
    }
  })
}
// Extensions add their wallet at any time.
offerWallets()
addEventListener('load', offerWallets)
addEventListener('ethereum#initialized', offerWallets)
`
