import { fields, Text } from '../../platform/http/inputs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { operator } from '../http/guards.ts'

export interface FactorChanges {
  friendlyName?: string | undefined
  /** The phone number; ignored for other factors. */
  phone?: string | undefined
}

export const listFactorsEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/factors',
  summary:
    'Lists the second factors of a user, the oldest first. A request over HTTP gets no recovery codes.',
  inCode: 'auth.admin.listFactors',
  guards: [operator],
  answers: { 200: 'Factors' },
  errors: ['user_not_found'],
} as const satisfies Endpoint

export const updateFactorByIdEndpoint = {
  method: 'PUT',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  summary: 'Renames a second factor of a user, or changes the number of a phone.',
  guards: [operator],
  body: fields({ friendlyName: Text, phone: Text }),
  answers: { 200: 'Factor' },
  errors: [
    'conflict',
    'mfa_factor_name_conflict',
    'mfa_factor_not_found',
    'reauthentication_needed',
    'user_not_found',
  ],
} as const satisfies Endpoint<FactorChanges>

export const deleteFactorByIdEndpoint = {
  method: 'DELETE',
  path: '/admin/users/{user_id}/factors/{factor_id}',
  summary: 'Removes a second factor of a user.',
  inCode: 'auth.admin.deleteFactor',
  guards: [operator],
  answers: { 200: 'Factor' },
  errors: ['mfa_factor_not_found', 'reauthentication_needed', 'user_not_found'],
} as const satisfies Endpoint

export const getRecoveryCodesByIdEndpoint = {
  method: 'GET',
  path: '/admin/users/{user_id}/factors/recovery-codes',
  summary: 'Returns the number of unused recovery codes of a user.',
  inCode: 'auth.admin.getRecoveryCodes',
  guards: [operator],
  answers: { 200: 'RecoveryCodesStatus' },
  errors: ['mfa_factor_not_found', 'user_not_found'],
} as const satisfies Endpoint
