declare const auth: import('latchkey').Auth
await auth.api.explainRedirect('https://eu.example.com/cb')
// { allowed: true, rule: 'allow list', pattern: 'https://*.example.com/cb' }
await auth.api.explainRedirect('http://app.example.com/')
// { allowed: false, reason: 'it is the site without TLS' }

export {}
