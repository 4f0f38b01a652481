import type { UnsupportedSetting } from '../setting.ts'

export const unsupportedSettings: readonly UnsupportedSetting[] = [
  {
    env: 'MULTI_INSTANCE_MODE',
    description: 'Served several sites from one process; run one service for each.',
  },
  {
    env: 'OPERATOR_TOKEN',
    description: 'Opened the endpoints that managed such sites.',
  },
  {
    env: 'API_ENDPOINT',
    description:
      'Named the path of the API among several; `AUTH_API_EXTERNAL_URL` says where it is.',
  },
  {
    env: 'JWT_ADMIN_GROUP_NAME',
    description: 'Named the group of administrators; `AUTH_JWT_ADMIN_ROLES` lists their roles.',
  },
  {
    env: 'SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION',
    description: 'Chose the form of refresh tokens; they are always signed and counted.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ENABLED',
    description:
      'Kept a filter of known passwords; ranges that were asked for are kept as they are.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_ITEMS',
    description: 'Was the size of that filter.',
  },
  {
    env: 'PASSWORD_HIBP_BLOOM_FALSE_POSITIVES',
    description: 'Was how often that filter was wrong.',
  },
  {
    env: 'JWT_VALID_METHODS',
    description: 'Listed the algorithms of tokens; each key is bound to its own.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPT',
    description: 'Encrypted columns; with `AUTH_ENCRYPTION_KEY`, stored secrets always are.',
  },
  {
    env: 'SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY',
    description: 'Was the key of that; `AUTH_ENCRYPTION_KEY` is.',
  },
]
