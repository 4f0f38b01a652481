import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { offeredIf, operator } from '../../endpoints/http/guards.ts'
import { oneOf, Whole } from '../../platform/http/inputs.ts'
import {
  type CreateCustomProviderInput,
  customProviderTypes,
  type UpdateCustomProviderInput,
} from './custom-provider.ts'
import { requireCustomProviders } from './custom-provider-errors.ts'
import { customProviderListSchema, customProviderSchema } from './present-custom-provider.ts'
import { providerChangeFields, providerFields } from './read-custom-provider.ts'

const guards = [operator, offeredIf(requireCustomProviders)] as const

export const listCustomProvidersEndpoint = {
  guards,
  method: 'GET',
  path: '/admin/custom-providers',
  summary: 'Lists the registered external providers, the oldest first.',
  query: { type: oneOf(customProviderTypes), page: Whole, perPage: Whole },
  inCode: 'auth.admin.customProviders.listProviders',
  answers: { 200: customProviderListSchema },
  errors: ['feature_disabled'],
} as const satisfies Endpoint<{ type?: string; page?: number; perPage?: number }>

export const createCustomProviderEndpoint = {
  guards,
  method: 'POST',
  path: '/admin/custom-providers',
  summary: 'Registers an external provider.',
  body: providerFields,
  inCode: 'auth.admin.customProviders.createProvider',
  answers: { 201: customProviderSchema },
  errors: ['conflict', 'feature_disabled', 'over_custom_provider_quota'],
} as const satisfies Endpoint<CreateCustomProviderInput>

export const getCustomProviderEndpoint = {
  guards,
  method: 'GET',
  path: '/admin/custom-providers/{identifier}',
  summary: 'Returns a registered external provider.',
  inCode: 'auth.admin.customProviders.getProvider',
  answers: { 200: customProviderSchema },
  errors: ['custom_provider_not_found', 'feature_disabled'],
} as const satisfies Endpoint

export const updateCustomProviderEndpoint = {
  guards,
  method: 'PUT',
  path: '/admin/custom-providers/{identifier}',
  summary: 'Changes a registered external provider.',
  inCode: 'auth.admin.customProviders.updateProvider',
  body: providerChangeFields,
  answers: { 200: customProviderSchema },
  errors: ['conflict', 'custom_provider_not_found', 'feature_disabled'],
} as const satisfies Endpoint<UpdateCustomProviderInput>

export const deleteCustomProviderEndpoint = {
  guards,
  method: 'DELETE',
  path: '/admin/custom-providers/{identifier}',
  summary: 'Deletes a registered external provider. Identities of users stay.',
  inCode: 'auth.admin.customProviders.deleteProvider',
  answers: { 204: null },
  errors: ['custom_provider_not_found', 'feature_disabled'],
} as const satisfies Endpoint
