import { describe, expect, it } from 'vitest'
import { addParameters } from './authorization-parameters.ts'

const added = (
  requested: Record<string, string>,
  configured: Record<string, string> = {},
  url = 'https://id.example.test/authorize?client_id=ours&state=s&scope=openid',
) => {
  const { searchParams } = new URL(url)
  addParameters(searchParams, { configured, requested })
  return Object.fromEntries(searchParams)
}

const own = { client_id: 'ours', state: 's', scope: 'openid' }

describe('S12: a requested parameter', () => {
  it('is passed on where it is not configured', () => {
    expect(added({ login_hint: 'ada@example.test', Prompt: 'consent' })).toEqual({
      ...own,
      login_hint: 'ada@example.test',
      Prompt: 'consent',
    })
  })

  it.each([
    'organization',
    'Organization',
    'ORGANIZATION',
    'organization[]',
    'organization[0]',
    ' organization',
    'organization\0',
  ])('does not replace a configured one: %j', (name) => {
    const configured = { organization: 'org_own' }
    expect(added({ [name]: 'org_other' }, configured)).toEqual({ ...own, ...configured })
  })

  it('does not replace one in the URL of the authorization endpoint', () => {
    const url = 'https://id.example.test/authorize?acr_values=high&Hd=own.example'
    const requested = { acr_values: 'low', 'acr.values': 'low', hd: 'other.example' }
    expect(added(requested, {}, url)).toEqual({ acr_values: 'high', Hd: 'own.example' })
  })

  it('requests no other acr than a configured one', () => {
    const claims = '{"id_token":{"acr":{"values":["low"]}}}'
    expect(added({ claims }, { acr_values: 'high' })).toEqual({ ...own, acr_values: 'high' })
    expect(added({ claims })).toEqual({ ...own, claims })
  })

  it.each([
    'response_type',
    'client_id',
    'redirect_uri',
    'state',
    'scope',
    'nonce',
    'response_mode',
    'code_challenge',
    'code_challenge_method',
    'code_verifier',
    'request',
    'request_uri',
  ])('does not replace a protocol parameter: %s', (name) => {
    const spellings = [name, name.toUpperCase(), `${name}[]`, `${name}[a]`]
    const requested = Object.fromEntries(spellings.map((spelling) => [spelling, 'forged']))
    expect(added(requested)).toEqual(own)
  })
})

it('S12: a configured parameter does not replace a protocol parameter either', () => {
  const ofOperator = { access_type: 'offline', response_mode: 'form_post' }
  expect(added({}, { state: 'fixed', 'redirect_uri[]': 'x', ...ofOperator })).toEqual({
    ...own,
    ...ofOperator,
  })
})
