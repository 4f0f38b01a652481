declare const accessToken: string
declare const auth: import('latchkey').Auth
declare const user: import('latchkey').User
const token = await auth.api.getProviderToken({ accessToken, provider: 'github' })
await fetch('https://api.github.com/user/repos', {
  headers: { authorization: `Bearer ${token.accessToken}` },
})

// without a session, such as in a job
const same = await auth.admin.getProviderToken({ userId: user.id, provider: 'github' })

export {}
