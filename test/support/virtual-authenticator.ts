import type { Page } from 'playwright-core'

/** A credential as Chromium keeps it; binary values are in base64. */
export interface VirtualCredential {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  privateKey: string
  userHandle?: string
  signCount: number
}

/** Chromium's own authenticator: it keeps keys and signs, and the test is the person who holds it. */
export interface VirtualAuthenticator {
  credentials(): Promise<VirtualCredential[]>
  /** Puts back how often it has signed, as in a copy of it. */
  countBack(signCount: number): Promise<void>
  /** Whether it verifies whoever holds it from now on, by what would be a fingerprint or a PIN. */
  verifyUser(isVerified: boolean): Promise<void>
  /** Whether somebody is there to touch it from now on: else a ceremony waits. */
  isTouched(byItself: boolean): Promise<void>
}

export interface VirtualAuthenticatorOptions {
  /** Whether it keeps keys that are found without a name of the user, as passkeys are. Default true. */
  keepsPasskeys?: boolean
  /** `internal` for what is built into a computer or phone, `usb` for a security key. Default `internal`. */
  transport?: 'internal' | 'usb'
}

/**
 * Connects an authenticator to all that this page opens. It touches itself and verifies its user until the test says
 * otherwise.
 *
 * @see Chrome DevTools Protocol, domain WebAuthn
 */
export async function connectAuthenticator(
  page: Page,
  { keepsPasskeys = true, transport = 'internal' }: VirtualAuthenticatorOptions = {},
): Promise<VirtualAuthenticator> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: keepsPasskeys,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const credentials = async (): Promise<VirtualCredential[]> =>
    (await devTools.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return {
    credentials,
    countBack: async (signCount) => {
      for (const credential of await credentials()) {
        const { credentialId } = credential
        await devTools.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
        await devTools.send('WebAuthn.addCredential', {
          authenticatorId,
          credential: { ...credential, signCount },
        })
      }
    },
    verifyUser: async (isUserVerified) => {
      await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    isTouched: async (enabled) => {
      await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
  }
}
