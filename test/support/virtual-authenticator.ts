import type { Page } from 'playwright-core'

/** A credential as Chromium stores it; binary values are in base64. */
export interface VirtualCredential {
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  privateKey: string
  userHandle?: string
  signCount: number
}

/** Chromium's own authenticator. It stores keys and signs; the test acts as its user. */
export interface VirtualAuthenticator {
  credentials(): Promise<VirtualCredential[]>
  /** Sets the signature count to a lower value, as in a copy. */
  countBack(signCount: number): Promise<void>
  /** Sets whether it verifies its user from now on, as a fingerprint or a PIN would. */
  verifyUser(isVerified: boolean): Promise<void>
  /** Sets whether it is touched at once from now on; otherwise a ceremony waits. */
  isTouched(byItself: boolean): Promise<void>
}

export interface VirtualAuthenticatorOptions {
  /** True if it stores discoverable credentials, as for passkeys. Default true. */
  keepsPasskeys?: boolean
  /** `internal` for a platform authenticator, `usb` for a security key. Default `internal`. */
  transport?: 'internal' | 'usb'
}

/**
 * Connects an authenticator to all windows of a page. It is touched at once and verifies its user,
 * unless the test changes that. @see Chrome DevTools Protocol, domain WebAuthn
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
