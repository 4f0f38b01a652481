import { GoTrueClient } from '@supabase/auth-js'

const client = new GoTrueClient({
  url: 'https://auth.example.com',
  experimental: { recoveryCodes: true },
})

// In a session at aal2. These codes are not shown again.
const { data: generated } = await client.mfa.recoveryCodes.generate()
const shown = generated?.codes.map((code) => code.match(/.{4}/g)?.join('-'))

// After the next sign-in, without the phone. Case, spaces and hyphens are ignored.
const { data: levels } = await client.mfa.getAuthenticatorAssuranceLevel()
if (levels?.nextLevel === 'aal2' && levels.currentLevel !== 'aal2') {
  const { error } = await client.mfa.recoveryCodes.verify({ code: 'K4M7-X7QP-2ABD-HT3Z' })
}

// At any level. When few are left, generate another set.
const { data: status } = await client.mfa.recoveryCodes.getStatus()
if (status && status.remaining < 3) await client.mfa.recoveryCodes.regenerate()

export {}
