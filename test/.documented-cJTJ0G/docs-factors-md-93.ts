declare const accessToken: string
declare const auth: import('latchkey').Auth
declare function askBrowser(ceremony: object): Promise<object>
const { id: factorId } = await auth.api.enrollFactor({
  accessToken,
  factorType: 'webauthn',
  friendlyName: 'Blue key',
})
const { id: challengeId, webAuthn } = await auth.api.challengeFactor({ accessToken, factorId })
if (webAuthn) {
  const response = { type: webAuthn.type, credential: await askBrowser(webAuthn) }
  await auth.api.verifyFactor({ accessToken, factorId, challengeId, webAuthn: response })
}

export {}
