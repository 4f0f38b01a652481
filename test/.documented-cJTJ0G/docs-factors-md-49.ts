declare const accessToken: string
declare const auth: import('latchkey').Auth
declare const code: string
const { id: factorId } = await auth.api.enrollFactor({ accessToken, factorType: 'email' })
const { id: challengeId } = await auth.api.challengeFactor({ accessToken, factorId })
const { session } = await auth.api.verifyFactor({ accessToken, factorId, challengeId, code })

export {}
