declare const accessToken: string
declare const auth: import('latchkey').Auth
declare const code: string
const { codes } = await auth.api.generateRecoveryCodes({ accessToken })
const { session } = await auth.api.verifyRecoveryCode({ accessToken, code })

export {}
