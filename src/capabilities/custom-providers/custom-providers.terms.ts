import type { ErrorMeaning } from '../../platform/errors/error-meaning.ts'

/** @internal */
export const tables = ['custom_providers']

/** External providers that operators register by the admin API. */
export interface CustomOauthConfig {
  /** Default true. */
  enabled?: boolean | undefined
  /** The maximum number of providers. Default 0: 1,000. */
  maxProviders?: number | undefined
  /** The URL that replaces `externalUrl` in their redirect URIs. */
  externalUrl?: string | undefined
  /**
   * Whether the redirect URI of each ends in `/callback/<identifier>`, such as
   * `/callback/custom:acme`, so that no provider can obtain the codes of another. Default false:
   * they share `/callback`.
   */
  ownCallbacks?: boolean | undefined
}

export interface ResolvedCustomOauth {
  enabled: boolean
  maxProviders: number
  externalUrl: string | null
  ownCallbacks: boolean
}

/** The section of the configuration. */
export interface CustomOauthSection {
  /** External providers that operators register by the admin API. */
  customOauth?: CustomOauthConfig | undefined
}

export interface ResolvedCustomOauthSection {
  customOauth: ResolvedCustomOauth
}

export const errorCodes = ['custom_provider_not_found', 'over_custom_provider_quota'] as const

/** @internal */
export const errorMeanings: Readonly<Record<(typeof errorCodes)[number], ErrorMeaning>> = {
  custom_provider_not_found: {
    topic: 'External providers',
    statuses: [404],
    means: 'There is no registered provider with this identifier.',
    client: 'Reload the list of providers.',
  },
  over_custom_provider_quota: {
    topic: 'External providers',
    statuses: [400],
    means: 'The maximum number of registered providers is reached.',
    client: 'Delete a provider that is no longer needed.',
    operator: '`AUTH_CUSTOM_OAUTH_MAX_PROVIDERS` is the number.',
  },
}

export const auditActions = {
  custom_provider_created: {
    number: 70,
    logType: 'team',
    recordedWhen: 'An operator registered an external provider.',
  },
  custom_provider_updated: {
    number: 71,
    logType: 'team',
    recordedWhen: 'An operator changed a registered provider.',
  },
  custom_provider_deleted: {
    number: 72,
    logType: 'team',
    recordedWhen: 'An operator deleted a registered provider.',
  },
} as const
