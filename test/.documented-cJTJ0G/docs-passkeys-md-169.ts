declare const auth: import('latchkey').Auth
declare const credential: object
declare const challengeId: string
const { challengeId: id, options } = await auth.api.startPasskeyAuthentication()
const { user, session } = await auth.api.verifyPasskeyAuthentication({ challengeId, credential })

export {}
