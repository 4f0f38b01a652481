declare const accessToken: string
declare const auth: import('latchkey').Auth
const { secret } = await auth.api.trustDevice({ accessToken })
// after the next sign-in
const next = await auth.api.verifyTrustedDevice({ accessToken, secret })
console.log(next.session.accessToken, next.secret)

export {}
