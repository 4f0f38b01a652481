/**
 * Reports the parameters of the redirect, in the fragment or the query, and removes them from the
 * address. It sets only texts, so no parameter becomes part of the HTML.
 */
export const landingScript = `
const given = new URLSearchParams(location.hash.slice(1))
for (const [name, value] of new URLSearchParams(location.search)) if (!given.has(name)) given.set(name, value)
history.replaceState(null, '', location.pathname)

const setText = (id, text) => { document.getElementById(id).textContent = text }
const purposes = {
  signup: 'Sign-up confirmed: the user is signed in',
  invite: 'Invitation accepted: the user is signed in',
  recovery: 'The user is signed in to set a new password',
  magiclink: 'The user is signed in',
  email_change: 'Address changed: the user is signed in',
}
const emailIn = (token) => {
  try {
    const claims = atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(decodeURIComponent(escape(claims))).email || null
  } catch { return null }
}

if (given.has('error') || given.has('error_code')) {
  setText('what', 'The link could not be used')
  setText('detail', (given.get('error_description') || '') + ' (' + (given.get('error_code') || given.get('error')) + ')')
  setText('next', 'An application would report this and offer to send another mail. A link works once, and expires.')
} else if (given.has('access_token')) {
  const email = emailIn(given.get('access_token'))
  setText('what', purposes[given.get('type')] || 'The user is signed in')
  setText('detail', (email ? 'As ' + email + '. ' : '') + 'The fragment of the address contains the session: access_token, refresh_token, expires_in.')
  setText('next', given.get('type') === 'recovery'
    ? 'An application would now prompt for the new password and call updateUser({ password }).'
    : 'In an application, the client of @supabase/auth-js reads it, stores the session and calls onAuthStateChange.')
} else if (given.has('code')) {
  setText('what', 'The link was accepted, and returned a code')
  setText('detail', 'It works once, with the code verifier that the application stored with its request (PKCE).')
  setText('next', 'An application would call exchangeCodeForSession(code), which the client of @supabase/auth-js does by itself.')
} else if (given.has('message')) {
  setText('what', 'The link was accepted')
  setText('detail', given.get('message'))
  setText('next', 'An application would show this message.')
}
`
