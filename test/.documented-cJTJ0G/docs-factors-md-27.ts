declare const accessToken: string
declare const auth: import('latchkey').Auth
declare const code: string
const { id: factorId, totp } = await auth.api.enrollFactor({ accessToken, factorType: 'totp' })
// show totp?.qrCode (an SVG document; as the source of an image: `data:image/svg+xml,` and
// encodeURIComponent(totp.qrCode)), or totp?.secret to type, and prompt for a code
const { id: challengeId } = await auth.api.challengeFactor({ accessToken, factorId })
const { session } = await auth.api.verifyFactor({ accessToken, factorId, challengeId, code })

export {}
