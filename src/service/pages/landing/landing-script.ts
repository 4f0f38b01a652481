/**
 * Reports the parameters of the redirect, in the fragment or the query, and removes them from the
 * address. It sets only texts, so no parameter becomes part of the HTML.
 */
export const landingScript = `
const given = new URLSearchParams(location.hash.slice(1))
for (const [name, value] of new URLSearchParams(location.search)) if (!given.has(name)) given.set(name, value)
history.replaceState(null, '', location.pathname)

const say = (id, text) => { document.getElementById(id).textContent = text }
const purposes = {
  signup: 'The sign-up is confirmed, and somebody is signed in',
  invite: 'The invitation is accepted, and somebody is signed in',
  recovery: 'Somebody is signed in, in order to set a new password',
  magiclink: 'Somebody is signed in',
  email_change: 'The address is changed, and somebody is signed in',
}
const emailIn = (token) => {
  try {
    const claims = atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(decodeURIComponent(escape(claims))).email || null
  } catch { return null }
}

if (given.has('error') || given.has('error_code')) {
  say('what', 'The link could not be used')
  say('detail', (given.get('error_description') || '') + ' (' + (given.get('error_code') || given.get('error')) + ')')
  say('next', 'An application would say so, and offer to send another mail. A link is good once, and for a time.')
} else if (given.has('access_token')) {
  const email = emailIn(given.get('access_token'))
  say('what', purposes[given.get('type')] || 'Somebody is signed in')
  say('detail', (email ? 'As ' + email + '. ' : '') + 'The tokens of the session came in the fragment of the address: access_token, refresh_token, expires_in.')
  say('next', given.get('type') === 'recovery'
    ? 'An application would ask for the new password now, and call updateUser({ password }).'
    : 'In an application, the client of @supabase/auth-js finds them by itself, stores the session and calls onAuthStateChange.')
} else if (given.has('code')) {
  say('what', 'The link is used, and a code came back')
  say('detail', 'It is good once, together with the code verifier that the application kept when it asked (PKCE).')
  say('next', 'An application would call exchangeCodeForSession(code), which the client of @supabase/auth-js does by itself.')
} else if (given.has('message')) {
  say('what', 'The link is used')
  say('detail', given.get('message'))
  say('next', 'An application would show this sentence.')
}
`
